#if Redis
  import Foundation
  import SubPub

  /// A connection to a server, over which several users send commands, each through a channel of its own.
  ///
  /// The server replies in the order of the commands, so a queue tells whose a reply is. A command is sent on the
  /// thread that has it, and at once unless it may be delayed; the loop's thread receives, and sends what the socket
  /// had no room for.
  ///
  /// After an error the connection can't be used any more: nobody knows which commands have arrived. All of its users
  /// learn that.
  final class RedisConnection: Sendable {
    let loop: RedisLoop
    /// How long to wait for a reply.
    let limit: Duration
    /// When something has arrived last.
    let contact = LastContact()
    /// What tells one start of the server from another; nil if it wasn't asked for, or the server doesn't say so.
    let start = Locked<String?>(nil)
    private let state: Locked<State>

    /// What the lock guards.
    fileprivate struct State {
      var machine: ConnectionMachine<RedisChannel>
      var socket: ConnectionSocket
      var opening: CheckedContinuation<RedisError.Reason?, Never>?
    }

    private typealias Actions = ConnectionMachine<RedisChannel>.Actions

    /// Takes a socket over, which connects until the given time.
    init(_ descriptor: Int32, _ endpoint: RedisEndpoint, by end: Moment, on loop: RedisLoop)
      throws(RedisError.Reason)
    {
      var socket = ConnectionSocket(descriptor, endpoint)
      guard let reader = ReplyReader() else {
        socket.close()
        throw .unreachable("there is no memory for a connection")
      }
      (self.loop, limit) = (loop, endpoint.replyTimeout)
      let machine = ConnectionMachine<RedisChannel>(
        reader, isEncrypted: endpoint.isEncrypted, by: end, limit: endpoint.connectTimeout, at: .now)
      state = Locked(State(machine: machine, socket: socket))
    }

    /// Why the connection can't be used any more; nil while it can.
    var failure: RedisError.Reason? { state.withLock(\.machine.failure) }
    /// Whether a reply kept arriving for too long.
    var isTooSlow: Bool { state.withLock(\.machine.isTooSlow) }

    /// Whether the other side has ended the connection.
    var isClosed: Bool { state.withLock(\.socket.isClosed) }

    /// Ends the connection.
    func close() {
      change { $0.machine.lose(.unreachable("the connection isn't used any more"), &$1) }
      loop.notice()
    }

    func add(_ channel: RedisChannel) { change { $0.machine.add(channel, &$1) } }

    func remove(_ channel: RedisChannel) { state.withLock { $0.machine.remove(channel) } }

    /// Waits until the connection is made and encrypted.
    func open() async throws(RedisError.Reason) {
      let failure = await withTaskCancellationHandler {
        await withCheckedContinuation { opening in
          change { state, actions in
            state.opening = opening
            // The task may have been cancelled already.
            if let failure = state.machine.failure { actions.end = (failure, [], nil) }
          }
          loop.add(self)
        }
      } onCancel: {
        change { $0.machine.lose(RedisChannel.interrupted, &$1) }
        loop.notice()
      }
      if let failure { throw failure }
    }

    /// Sends encoded commands, which have so many replies.
    ///
    /// Each reply has to come in time after the command was sent, or after the reply before it. The bytes may stay in
    /// memory until the loop's thread has done what is due.
    func send(
      _ bytes: [UInt8], replies count: Int, to channel: RedisChannel, within limit: TimeLimit? = nil,
      mayBeDelayed: Bool = false
    ) throws(RedisError.Reason) {
      let (failure, hasUnsent) = change { state, actions in
        let now = Moment.now
        let failure = state.machine.request(
          .init(channel: channel, count: count, limit: limit ?? TimeLimit(limit: self.limit), sent: now))
        if failure == nil {
          do throws(RedisError.Reason) { try state.socket.send(bytes, mayBeDelayed: mayBeDelayed) } catch {
            state.machine.lose(error, &actions)
          }
          state.noteTransmission(at: now)
        }
        return (failure, state.socket.hasUnsent && !mayBeDelayed)
      }
      if let failure { throw failure }
      if hasUnsent { loop.notice() }
    }

    /// Lets the machine decide, and does what it says, which calls other code, without the lock.
    private func change<Result>(_ body: (inout State, inout Actions) -> Result) -> Result {
      var actions = Actions()
      let (result, opening) = state.withLock { state in
        let result = body(&state, &actions)
        return (result, actions.opens || actions.end != nil ? state.opening.take() : nil)
      }
      for (channel, replies) in actions.deliveries { channel.deliver(replies) }
      if let (reason, channels, late) = actions.end {
        for channel in channels { channel.fail(reason, isLate: channel === late) }
      }
      opening?.resume(returning: actions.end?.reason)
      return result
    }
  }

  /// What the loop's thread does.
  extension RedisConnection {
    /// How often something is received before other connections have their turn.
    private static let mostReceipts = 16

    /// Returns what to wait for from now on, and until when; closes the socket, and returns nil, if the connection is
    /// over.
    func interest(at now: Moment) -> (pollfd, deadline: Moment?)? {
      state.withLock { state in
        switch state.machine.phase {
        case .over:
          state.socket.close()
          return nil
        case .connecting: return (state.socket.interest(isConnecting: true), state.machine.wait(at: now))
        case .securing, .open:
          state.socket.transmitDelayed()
          state.noteTransmission(at: .now)
          return (state.socket.interest(isConnecting: false), state.machine.wait(at: now))
        }
      }
    }

    /// Receives what has arrived, and sends what there is to be sent.
    func proceed(_ buffer: inout [UInt8]) {
      change { state, actions in
        do throws(RedisError.Reason) {
          switch state.machine.phase {
          case .connecting:
            try state.socket.finishConnecting()
            state.machine.connected(at: .now, &actions)
            if case .securing = state.machine.phase { try state.take([], &actions) }
          case .securing, .open:
            state.socket.transmitRest()
            state.noteTransmission(at: .now)
            for _ in 1...Self.mostReceipts {
              guard state.machine.failure == nil, let count = try state.socket.receive(&buffer) else { break }
              contact.note()
              try state.take(buffer[..<count], &actions)
              if count < buffer.count { break }
            }
            if let failure = state.socket.sendingFailure { throw failure }
          case .over: break
          }
        } catch {
          state.machine.lose(error, &actions)
        }
      }
    }

    func timeHasCome(_ now: Moment) { change { $0.machine.timeHasCome(now, &$1) } }
  }

  extension RedisConnection.State {
    fileprivate mutating func noteTransmission(at now: Moment) {
      machine.transmitted(socket.traffic.taken, of: socket.traffic.queued, at: now)
    }

    /// Takes bytes that have arrived.
    fileprivate mutating func take(
      _ bytes: ArraySlice<UInt8>, _ actions: inout ConnectionMachine<RedisChannel>.Actions
    ) throws(RedisError.Reason) {
      #if RedisTLS
        var bytes = bytes
        if case .securing = machine.phase {
          guard try socket.shakeHands(bytes) else { return }
          machine.secured(at: .now, &actions)
          bytes = []
        }
        try socket.decrypt(bytes) { machine.received($0, at: .now, &actions) }
      #else
        machine.received(bytes, at: .now, &actions)
      #endif
    }
  }
#endif
