#if Redis
  import Foundation
  import SubPub

  /// The thread that reads the streams of one server, for all mirrors of the process.
  ///
  /// The thread exists while there are followers, and the reader while a mirror runs.
  final class StreamReader: Sendable {
    private let endpoint: RedisEndpoint
    private let inbox = Locked(Inbox())
    private let pipe: WakePipe
    private let batch = BatchSize()
    let contact = LastContact()

    private struct Inbox {
      var added: [(StreamFollower, after: EntryID?)] = []
      var isRunning = false
    }

    private struct Shared {
      weak var reader: StreamReader?
    }

    private static let all = Locked<[RedisEndpoint: Shared]>([:])

    /// Returns the reader of a server, which is made for its first mirror.
    static func shared(for endpoint: RedisEndpoint) throws(RedisError.Reason) -> StreamReader {
      let found: Result<StreamReader, RedisError.Reason> = all.withLock { all in
        if let reader = all[endpoint]?.reader { return .success(reader) }
        all = all.filter { $0.value.reader != nil }
        return Result { () throws(RedisError.Reason) in try StreamReader(endpoint) }.map { reader in
          all[endpoint] = Shared(reader: reader)
          return reader
        }
      }
      return try found.get()
    }

    private init(_ endpoint: RedisEndpoint) throws(RedisError.Reason) {
      self.endpoint = endpoint
      pipe = try WakePipe()
    }

    /// Adds a follower, which receives the entries after a position, or the last entry and those after it.
    func add(_ follower: StreamFollower, after position: EntryID?) {
      let starts = inbox.withLock { inbox in
        inbox.added.append((follower, position))
        defer { inbox.isRunning = true }
        return !inbox.isRunning
      }
      guard starts else { return wake() }
      let thread = Thread { [self] in
        Thread.current.name = "SubPub.Redis"
        let loop = StreamReaderLoop(endpoint, pipe, batch, contact)
        while let added = takeAdded(isIdle: loop.isIdle) { loop.run(adding: added) }
      }
      thread.start()
    }

    /// Lets the thread look for added and ended followers.
    func wake() { pipe.wake() }

    /// Returns the followers that were added; nil if the thread isn't needed any more.
    private func takeAdded(isIdle: Bool) -> [(StreamFollower, after: EntryID?)]? {
      inbox.withLock { inbox in
        if isIdle, inbox.added.isEmpty {
          inbox.isRunning = false
          return nil
        }
        defer { inbox.added = [] }
        return inbox.added
      }
    }
  }

  /// How many entries of a stream are asked for at a time.
  ///
  /// A server may cut off a client whose reply is too large (`client-output-buffer-limit`). Nothing says so, and so
  /// every connection that is lost while a reply is awaited halves the number.
  final class BatchSize: Sendable {
    private static let most = 512
    /// After how many replies that have no room for more the number grows.
    private static let repliesUntilGrowth = 64

    private let state = Locked((count: most, replies: 0))

    var count: Int { state.withLock { $0.count } }

    /// Notes that a connection was lost while a reply was awaited.
    func shrink() { state.withLock { $0 = (max(1, $0.count / 2), 0) } }

    /// Notes that a reply had as many entries as were asked for.
    func noteFullReply() {
      state.withLock { state in
        state.replies += 1
        guard state.replies >= Self.repliesUntilGrowth else { return }
        state = (min(Self.most, state.count + max(1, state.count / 8)), 0)
      }
    }
  }
#endif
