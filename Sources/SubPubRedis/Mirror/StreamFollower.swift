#if Redis
  import SubPub

  /// What a follower is told about its stream.
  enum StreamEvent {
    /// The stream doesn't exist.
    case empty
    /// The stream still ends with the last entry, or with one before it.
    case unchanged
    /// The stream of another server than before has nothing that is known to be newer; its last entry.
    case behind(StreamEntry?)
    /// The last entry, which may have been there for long.
    case current(StreamEntry)
    /// An entry that has just been written.
    case entry(StreamEntry)
    /// There was nothing after the entries that were passed on, when the server was asked for more.
    case caughtUp
    /// The stream was looked at.
    case checked
  }

  /// A request in answer to an event.
  enum StreamRequest {
    /// Look at the stream at that time.
    case check(at: Moment)
    /// Read the entries after this one again.
    case entries(after: EntryID)
  }

  extension Sequence<StreamEvent> {
    /// Passes the events on, and returns the last request.
    ///
    /// What comes after a request to read entries again will be read again, too, in its order, so it isn't passed on.
    func pass(to receive: (StreamEvent) -> StreamRequest?) -> StreamRequest? {
      var request: StreamRequest?
      for event in self {
        request = receive(event) ?? request
        if case .entries = request { break }
      }
      return request
    }
  }

  /// Where a mirror begins to read a stream, or goes on.
  enum StreamPosition {
    /// With the newest entry.
    case newest
    /// After an entry of the same stream.
    case after(EntryID)
    /// After what was shown, in the stream of another server.
    case afterPublications(ShownPublications)
  }

  /// One follower of a stream, from its beginning until its task is cancelled or the connection fails.
  final class StreamFollower: Sendable {
    let key: [UInt8]
    private let receive: @Sendable (StreamEvent) -> StreamRequest?
    private let state = Locked(State())

    private struct State {
      var isReceiving = false
      var isEnded = false
      /// Why it has ended; nil if its task was cancelled.
      var reason: RedisError.Reason?
      /// The task that waits for the end.
      var task: CheckedContinuation<RedisError.Reason?, Never>?

      /// The waiting task, once it can go on: nothing is received any more.
      mutating func takeTask() -> CheckedContinuation<RedisError.Reason?, Never>? {
        isEnded && !isReceiving ? task.take() : nil
      }
    }

    init(of key: String, receive: @escaping @Sendable (StreamEvent) -> StreamRequest?) {
      (self.key, self.receive) = (Array(key.utf8), receive)
    }

    var hasEnded: Bool { state.withLock { $0.isEnded } }

    /// Follows a stream, and returns why that has ended; nil if the task was cancelled.
    ///
    /// Nothing is received any more when the call returns.
    func follow(
      _ position: StreamPosition, pacing: Duration?, by reader: StreamReader
    ) async -> RedisError.Reason? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { task in
          reader.add(.init(follower: self, key: key, pacing: pacing, position: position))
          resumeIfEnded { $0.task = task }
        }
      } onCancel: {
        end(nil)
        reader.remove(self)
      }
    }

    /// Passes events on, unless the follower has ended; returns its last request.
    func send(_ events: some Sequence<StreamEvent>) -> StreamRequest? {
      let request = events.pass { event in
        let receives = state.withLock { state in
          state.isReceiving = !state.isEnded
          return state.isReceiving
        }
        return receives ? receive(event) : nil
      }
      resumeIfEnded { $0.isReceiving = false }
      return request
    }

    /// Ends the follower; only the first reason counts.
    func end(_ reason: RedisError.Reason?) {
      resumeIfEnded { state in
        if !state.isEnded { (state.isEnded, state.reason) = (true, reason) }
      }
    }

    private func resumeIfEnded(after change: (inout State) -> Void) {
      let (task, reason) = state.withLock { state in
        change(&state)
        return (state.takeTask(), state.reason)
      }
      task?.resume(returning: reason)
    }
  }

  /// A follower is equal to itself only.
  extension StreamFollower: Hashable {
    static func == (left: StreamFollower, right: StreamFollower) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
#endif
