#if Redis
  import SubPub

  /// What one user of a connection sends over it, and the replies to that, in their order.
  ///
  /// A task sends and waits, one at a time; or a sink takes what arrives. After an error a channel can't be used any
  /// more, though the connection may work.
  final class RedisChannel: Sendable {
    /// The error of a wait that a cancel has ended.
    static var interrupted: RedisError.Reason { .unreachable("cancelled while it waited for the server") }

    let connection: RedisConnection
    /// Takes the replies, and the error after which there are none, instead of this channel.
    private let sink: (@Sendable (RedisChannel, Result<[RedisReply], RedisError.Reason>) -> Void)?
    private let state = Locked(State())

    private struct State {
      var replies: ArraySlice<RedisReply> = []
      var failure: RedisError.Reason?
      var isLate = false
      /// The task that waits for so many replies.
      var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

      mutating func take(_ count: Int) -> [RedisReply] {
        defer { replies = replies.count == count ? [] : replies.dropFirst(count) }
        return Array(replies.prefix(count))
      }

      /// The waiting task, if it can go on.
      mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
        guard let waiter, failure != nil || replies.count >= waiter.count else { return nil }
        self.waiter = nil
        return waiter.continuation
      }
    }

    init(
      _ connection: RedisConnection,
      sink: (@Sendable (RedisChannel, Result<[RedisReply], RedisError.Reason>) -> Void)? = nil
    ) {
      (self.connection, self.sink) = (connection, sink)
      connection.add(self)
    }

    /// Forgets the channel, and the replies that are to come.
    func close() { connection.remove(self) }

    /// Sends commands, and waits for their replies.
    func replies(
      to commands: [RedisCommand], within limit: TimeLimit? = nil
    ) async throws(RedisError.Reason) -> [RedisReply] {
      if commands.isEmpty { return [] }
      try send(commands.flatMap(\.encoded), replies: commands.count, within: limit)
      return try await replies(commands.count)
    }

    /// Sends encoded commands, which have so many replies.
    ///
    /// The bytes may stay in memory until the loop's thread has done what is due.
    func send(
      _ bytes: [UInt8], replies count: Int, within limit: TimeLimit? = nil, mayBeDelayed: Bool = false
    ) throws(RedisError.Reason) {
      try connection.send(bytes, replies: count, to: self, within: limit, mayBeDelayed: mayBeDelayed)
    }

    /// Waits for the next replies.
    private func replies(_ count: Int) async throws(RedisError.Reason) -> [RedisReply] {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let ready = state.withLock { state in
            state.waiter = (count, continuation)
            return state.takeWaiter()
          }
          if let ready { ready.resume() } else if Task.isCancelled { fail(Self.interrupted) }
        }
      } onCancel: {
        fail(Self.interrupted)
      }
      let (replies, failure, said) = state.withLock { state in
        state.replies.count >= count ? (state.take(count), nil, nil) : ([], state.failure, state.replies.last?.refusal)
      }
      // The server may have said why it has closed the connection.
      if let failure { throw said.map { .refused($0) } ?? failure }
      return replies
    }

    /// Adds replies; called by the connection.
    func deliver(_ replies: [RedisReply]) {
      if let sink { return sink(self, .success(replies)) }
      let waiter = state.withLock { state in
        state.replies += replies
        return state.takeWaiter()
      }
      waiter?.resume()
    }

    /// Whether the connection was lost because a reply to this channel was too late.
    var isLate: Bool { state.withLock(\.isLate) }

    /// Ends all waits; only the first reason counts.
    func fail(_ reason: RedisError.Reason, isLate: Bool = false) {
      if isLate { state.withLock { $0.isLate = true } }
      if let sink { return sink(self, .failure(reason)) }
      let waiter = state.withLock { state in
        state.failure = state.failure ?? reason
        return state.takeWaiter()
      }
      waiter?.resume()
    }
  }

  /// A channel is equal to itself only.
  extension RedisChannel: Hashable {
    static func == (left: RedisChannel, right: RedisChannel) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
#endif
