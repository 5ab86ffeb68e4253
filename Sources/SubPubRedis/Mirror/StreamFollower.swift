#if Redis
  import SubPub

  /// What a reader tells a follower.
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

  /// One follower of a stream, from its beginning until its task is cancelled or the connection fails.
  final class StreamFollower: Sendable {
    let key: [UInt8]
    /// How often the newest entry is read; nil if every entry is.
    let pacing: Duration?
    private let receive: @Sendable (StreamEvent) -> Void
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

    init(key: String, pacing: Duration?, receive: @escaping @Sendable (StreamEvent) -> Void) {
      self.key = Array(key.utf8)
      self.pacing = pacing
      self.receive = receive
    }

    var hasEnded: Bool { state.withLock { $0.isEnded } }

    /// Follows, and returns why that has ended; nil if the task was cancelled.
    ///
    /// Nothing is received any more when the call returns.
    func follow(_ position: StreamPosition, by reader: StreamReader) async -> RedisError.Reason? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { task in
          state.withLock { $0.task = task }
          reader.add(self, position)
          resumeIfEnded()
        }
      } onCancel: {
        end(nil)
        reader.noteEnd()
      }
    }

    /// Passes events on, unless the follower has ended; called by the reader.
    func send(_ events: some Sequence<StreamEvent>) {
      for event in events {
        let receives = state.withLock { state in
          state.isReceiving = !state.isEnded
          return state.isReceiving
        }
        guard receives else { break }
        receive(event)
      }
      state.withLock { $0.isReceiving = false }
      resumeIfEnded()
    }

    /// Ends the follower; only the first reason counts.
    func end(_ reason: RedisError.Reason?) {
      state.withLock { state in
        guard !state.isEnded else { return }
        (state.isEnded, state.reason) = (true, reason)
      }
      resumeIfEnded()
    }

    private func resumeIfEnded() {
      let (task, reason) = state.withLock { ($0.takeTask(), $0.reason) }
      task?.resume(returning: reason)
    }
  }
#endif
