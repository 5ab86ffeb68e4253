#if Redis
  import Foundation
  import SubPub

  /// What the outlets and mirrors of a process share that have equal endpoints.
  final class RedisClient: Sendable {
    let endpoint: RedisEndpoint
    /// The thread of the outlets' connections, on which no value is encoded.
    let loop = RedisLoop()
    private let start = Moment.now
    /// The connections of the outlets.
    private let connections = Locked<[SharedConnection]>([])
    private let shared = Locked(Shared())

    private struct Shared {
      weak var reader: StreamReader?
      /// The last lookups of hosts' addresses.
      var lookups: [RedisEndpoint.Host: Answer<Result<[SocketAddress], RedisError.Reason>>] = [:]
    }

    private struct Entry {
      weak var client: RedisClient?
    }

    private static let all = Locked<[RedisEndpoint: Entry]>([:])

    /// Returns the client of an endpoint, which exists while an outlet or a mirror runs.
    static func shared(for endpoint: RedisEndpoint) -> RedisClient {
      all.withLock { all in
        if let client = all[endpoint]?.client { return client }
        all = all.filter { $0.value.client != nil }
        let client = RedisClient(endpoint)
        all[endpoint] = Entry(client: client)
        return client
      }
    }

    /// A time that isn't before the given one, and that others want, too, so that the thread wakes up for all of them.
    func tick(after time: Moment) -> Moment {
      let tick: Duration = .milliseconds(100)
      return start + tick * (start.duration(to: time) / tick).rounded(.up)
    }

    private init(_ endpoint: RedisEndpoint) { self.endpoint = endpoint }

    /// What reads the streams of all mirrors.
    var reader: StreamReader {
      shared.withLock { shared in
        let reader = shared.reader ?? StreamReader(self)
        shared.reader = reader
        return reader
      }
    }

    /// Returns a connection for an outlet, which not too many others use.
    func connection(for user: any ConnectionUser) -> SharedConnection {
      connections.withLock { connections in
        if let found = connections.first(where: { $0.add(user) }) { return found }
        let new = SharedConnection(self)
        _ = new.add(user)
        connections.append(new)
        return new
      }
    }

    /// Forgets a connection that nobody uses any more.
    func remove(_ connection: SharedConnection, if isUnused: () -> Bool) {
      connections.withLock { connections in connections.removeAll { $0 === connection && isUnused() } }
    }

    /// Begins to look up a host, or returns what is under way: one thread waits for that, however many connections are
    /// to be made.
    func lookup(_ host: RedisEndpoint.Host) -> Answer<Result<[SocketAddress], RedisError.Reason>> {
      let answer = Answer<Result<[SocketAddress], RedisError.Reason>>()
      let current = shared.withLock { shared in
        if let lookup = shared.lookups[host], !lookup.isSet { return lookup }
        shared.lookups[host] = answer
        return answer
      }
      if current === answer {
        DispatchQueue.global().async {
          answer.set(
            Result { () throws(RedisError.Reason) in
              try SocketAddress.addresses(of: host.name, host.port, isNumeric: false)
            })
        }
      }
      return current
    }
  }
#endif
