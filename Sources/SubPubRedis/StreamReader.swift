#if Redis
  import Foundation
  import SubPub

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The thread that reads the streams of one server, for all mirrors of the process.
  ///
  /// The thread exists while there are followers.
  final class StreamReader: Sendable {
    private let endpoint: RedisEndpoint
    private let inbox = Locked(Inbox())
    /// A pipe, which wakes the thread.
    private let readEnd: Int32
    private let writeEnd: Int32

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
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else {
        throw .unreachable("cannot make a pipe: \(unsafe String(cString: strerror(errno)))")
      }
      (readEnd, writeEnd) = (ends[0], ends[1])
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      }
    }

    deinit {
      close(readEnd)
      close(writeEnd)
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
        let loop = StreamReaderLoop(endpoint, wakeUp: readEnd)
        while let added = takeAdded(isIdle: loop.isIdle) { loop.run(adding: added) }
      }
      thread.start()
    }

    /// Lets the thread look for added and ended followers.
    func wake() {
      // If the pipe is full, the thread is about to wake up anyway.
      var byte: UInt8 = 0
      _ = unsafe write(writeEnd, &byte, 1)
    }

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
#endif
