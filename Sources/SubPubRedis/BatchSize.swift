#if Redis
  import SubPub

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
