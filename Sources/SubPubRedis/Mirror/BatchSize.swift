#if Redis
  import SubPub

  /// How many entries of a stream are asked for at a time.
  ///
  /// A server may cut off a client whose reply is too large (`client-output-buffer-limit`), and nothing says so. So a
  /// connection that is lost while a reply is awaited halves the number, unless the reply before had room for more
  /// entries: then the next one wasn't large.
  package final class BatchSize: Sendable {
    private static let most = 512
    /// After how many replies that have no room for more the number doubles.
    private static let repliesUntilGrowth = 32

    private let state = Locked(State())

    private struct State {
      var count = BatchSize.most
      var fullReplies = 0
      /// Whether the last reply over this connection had room for more.
      var hasRoom = false

      mutating func shrink() { self = State(count: max(1, count / 2)) }
    }

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    /// Notes that a connection was lost while a reply was awaited that may have been large.
    package func shrink() { state.withLock { $0.shrink() } }

    /// Notes that a reply kept arriving for too long: a smaller one isn't waited for again and again.
    package func noteTooSlow() { state.withLock { $0 = State(count: 1) } }

    /// Notes that a connection was lost while entries were awaited.
    package func noteLostConnection() {
      state.withLock { state in
        if !state.hasRoom { state.shrink() }
        state.hasRoom = false
      }
    }

    /// Notes a reply; a full one has as many entries as were asked for.
    package func noteReply(isFull: Bool) {
      state.withLock { state in
        state.hasRoom = !isFull
        state.fullReplies += isFull ? 1 : 0
        guard state.fullReplies >= Self.repliesUntilGrowth else { return }
        (state.count, state.fullReplies) = (min(Self.most, state.count * 2), 0)
      }
    }
  }
#endif
