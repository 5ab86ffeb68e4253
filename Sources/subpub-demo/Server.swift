#if Redis
  import Foundation
  import SubPub
  import SubPubRedis

  /// A Redis server, over which another process shows what this one reads.
  struct Server: Equatable {
    private let endpoint: RedisEndpoint

    /// Parses the value of an option.
    init(_ name: String, _ text: String) throws(UsageError) {
      guard let url = URLComponents(string: text), let endpoint = Self.endpoint(url) else {
        throw .notAServer(name, text)
      }
      self.endpoint = endpoint
    }

    private static func endpoint(_ url: URLComponents) -> RedisEndpoint? {
      let user = url.user.flatMap { $0.isEmpty ? nil : $0 }
      let isComplete = user == nil || url.password != nil
      guard isComplete, url.query == nil, url.fragment == nil, !url.path.utf8.contains(0) else { return nil }
      if url.scheme == "unix" {
        guard url.host ?? "" == "", url.path.count > 1 else { return nil }
        return RedisEndpoint(unixSocket: url.path, username: user, password: url.password)
      }
      let path = url.path.drop { $0 == "/" }
      guard url.scheme == "redis", (1...65_535).contains(url.port ?? 1), let database = Int(path.isEmpty ? "0" : path),
        database >= 0
      else { return nil }
      let host = url.host.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 } ?? "127.0.0.1"
      return RedisEndpoint(
        host: host, port: url.port ?? 6379, username: user, password: url.password, database: database)
    }

    /// Creates a manager whose data is what another process publishes.
    func mirror<Value: Codable & Sendable>(_ label: String, staleAfter: Duration) -> any Manager<Value> {
      RedisMirror(key: key(label), endpoint: endpoint, label: label, staleAfter: staleAfter)
    }

    /// Follows another process until the task is cancelled; does nothing for other managers.
    static func follow<Value: Codable & Sendable>(_ manager: any Manager<Value>) async throws {
      try await (manager as? RedisMirror<Value>)?.run()
    }

    /// Writes the states of a publisher until the task is cancelled.
    func write<Value: Codable & Sendable>(_ publisher: Publisher<Value>, _ console: Console) async throws {
      // Without a server, each attempt fails in the same way.
      let reporter = ChangeReporter(console)
      let outlet = RedisOutlet(publisher, key: key("\(publisher.id)"), endpoint: endpoint) { reporter.report("\($0)") }
      try await outlet.run()
    }

    private func key(_ label: String) -> String { "subpub-demo \(label)" }
  }

  extension Server: CustomStringConvertible {
    var description: String { "\(endpoint)" }
  }
#else
  import SubPub

  /// A server that can't be made, because this program was built without the trait `Redis`.
  struct Server: Equatable {
    init(_ name: String, _ text: String) throws(UsageError) { throw .withoutRedis(name) }

    func mirror<Value: Sendable>(_ label: String, staleAfter: Duration) -> any Manager<Value> {
      fatalError("there is no server")
    }
    static func follow<Value: Sendable>(_ manager: any Manager<Value>) async throws {}
    func write<Value: Sendable>(_ publisher: Publisher<Value>, _ console: Console) async throws {}
  }
#endif
