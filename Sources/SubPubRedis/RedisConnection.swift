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

  /// A connection to a server, over which several users send commands, each through a channel of its own.
  ///
  /// The server replies in the order of the commands, so a queue tells whose a reply is. Whoever sends a command sends
  /// it at once; the loop's thread receives, and sends what the socket had no room for.
  ///
  /// After an error the connection can't be used any more: nobody knows which commands have arrived. All of its users
  /// learn that.
  final class RedisConnection: Sendable {
    let loop: RedisLoop
    /// How long to wait for a reply.
    let limit: Duration
    /// When something has arrived last.
    let contact = LastContact()
    /// For those who do several things that `WATCH` holds together: there is one watch for a connection.
    let transactions = AsyncSemaphore()
    /// What tells one start of the server from another; nil until it was asked for.
    let start = Locked<ServerStart?>(nil)
    private let state: Locked<ConnectionState>

    /// Takes a socket over, which connects until the given time.
    init(_ socket: Int32, _ endpoint: RedisEndpoint, by end: ContinuousClock.Instant, on loop: RedisLoop)
      throws(RedisError.Reason)
    {
      guard let reader = ReplyReader() else {
        ConnectionState.close(socket)
        throw .unreachable("there is no memory for a connection")
      }
      (self.loop, limit) = (loop, endpoint.replyTimeout)
      state = Locked(ConnectionState(socket, reader, endpoint, by: end))
    }

    /// Why the connection can't be used any more; nil while it can.
    var failure: RedisError.Reason? { state.withLock(\.failure) }

    /// Whether the other side has ended the connection.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Ends the connection.
    func close() {
      change { $0.lose(.unreachable("the connection isn't used any more")) }
      loop.notice()
    }

    func add(_ channel: RedisChannel) { change { $0.add(channel) } }

    func remove(_ channel: RedisChannel) { state.withLock { $0.channels[ObjectIdentifier(channel)] = nil } }

    /// Waits until the connection is made and encrypted.
    func open() async throws(RedisError.Reason) {
      let failure = await withTaskCancellationHandler {
        await withCheckedContinuation { opening in
          change { $0.awaitOpening(opening) }
          loop.add(self)
        }
      } onCancel: {
        change { $0.lose(RedisChannel.interrupted) }
        loop.notice()
      }
      if let failure { throw failure }
    }

    /// Sends encoded commands, which have so many replies.
    ///
    /// Each reply has to come in time after the command was sent, or after the reply before it.
    func send(
      _ bytes: [UInt8], replies count: Int, to channel: RedisChannel, within limit: TimeLimit? = nil
    ) throws(RedisError.Reason) {
      if let failure { throw failure }
      let request = Request(channel: channel, count: count, limit: limit ?? TimeLimit(limit: self.limit), sent: .now)
      if change({ state in
        state.send(bytes, request)
        return state.isBehind
      }) {
        loop.notice()
      }
    }

    private func change<Result>(_ body: (inout ConnectionState) -> Result) -> Result {
      let (result, effects) = state.withLock { state in
        defer { state.effects = ConnectionState.Effects() }
        return (body(&state), state.effects)
      }
      effects.run(contact)
      return result
    }
  }

  /// What the loop's thread does.
  extension RedisConnection {
    /// Returns what to wait for from now on, and until when; closes the socket, and returns nil, if the connection is
    /// over.
    func interest(at now: ContinuousClock.Instant) -> (pollfd, deadline: ContinuousClock.Instant?)? {
      state.withLock { $0.interest(at: now) }
    }

    /// Receives what has arrived, and sends what there is to be sent.
    func proceed(_ buffer: inout [UInt8]) { change { $0.proceed(&buffer) } }

    func checkDeadline(at now: ContinuousClock.Instant) { change { $0.checkDeadline(at: now) } }
  }

  struct ServerStart {
    /// Nil if the server doesn't tell.
    let id: String?
  }

  /// Commands whose replies are to come.
  struct Request {
    let channel: RedisChannel
    var count: Int
    let limit: TimeLimit
    let sent: ContinuousClock.Instant
  }

  /// How long a reply may take.
  struct TimeLimit {
    let limit: Duration
    /// The setting that the error names.
    let named: Duration

    init(limit: Duration, named: Duration? = nil) { (self.limit, self.named) = (limit, named ?? limit) }
  }
#endif
