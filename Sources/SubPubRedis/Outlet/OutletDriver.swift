#if Redis
  import SubPub

  /// What an ``OutletDriver`` leaves to the run: what needs the publisher, or calls the user's code.
  protocol OutletOwner: AnyObject, Sendable {
    func carryOut(_ action: OutletMachine.Action)
  }

  /// Changes the machine of one run of an outlet, and carries out what it decides.
  ///
  /// Three threads change the machine: that of the outlet, which takes states from the publisher and runs the user's
  /// code, that of the endpoint's connections, and the one that cancels. None of them waits for another: the one that
  /// finds a decision, and nobody busy with one, carries out all of them until there are none left, so they keep their
  /// order.
  ///
  /// It isn't generic, because generic code costs several times as much, and thousands of idle outlets ask the server
  /// every second.
  final class OutletDriver: Sendable {
    let client: RedisClient
    let state: Locked<State>
    private let counts: OutletCounts

    struct State {
      var machine: OutletMachine
      /// Whether a thread carries out actions.
      fileprivate var isActing = false
      /// Nil before the run, and after it.
      fileprivate var owner: (any OutletOwner)?
      fileprivate var shared: SharedConnection?
      /// The way to the server; nil while there is none.
      fileprivate var channel: RedisChannel?
      fileprivate var lastChannel = 0
      /// When the timer fires.
      fileprivate var time: Moment?
    }

    fileprivate struct Decision {
      let actions: [OutletMachine.Action]
      let channel: RedisChannel?
      let number: Int
      /// When the timer is to fire, and whether it doesn't yet.
      let time: Moment?
      let isTimeNew: Bool
    }

    init(_ machine: OutletMachine, _ client: RedisClient, _ counts: OutletCounts) {
      (self.client, self.counts) = (client, counts)
      state = Locked(State(machine: machine))
    }

    func begin(_ owner: any OutletOwner) {
      let shared = client.connection(for: self)
      state.withLock { ($0.shared, $0.owner) = (shared, owner) }
      change { machine, _ in machine.start() }
    }

    /// Lets go of everything; returns the loops whose threads may be busy with this run.
    func end() -> [RedisLoop] {
      let (shared, channel, foreign) = state.withLock { state in
        defer { state.machine.demand.pending = { 0 } }
        return (state.shared.take(), state.channel.take(), (state.owner.take(), state.machine.demand.pending))
      }
      withExtendedLifetime(foreign) {}
      channel?.close()
      shared?.remove(self)
      client.loop.set(self, to: nil)
      return [client.loop] + (shared.map { $0.client === client ? [] : [$0.client.loop] } ?? [])
    }

    /// Changes the machine, and does what follows.
    @discardableResult
    func change<Result>(isOnLoop: Bool = false, _ body: (inout OutletMachine, Moment) -> Result) -> Result {
      let (result, decision) = state.withLock { state in
        let result = body(&state.machine, .now)
        return (result, state.isActing ? nil : state.takeDecision())
      }
      if let decision { act(decision, isOnLoop: isOnLoop) }
      return result
    }

    private func act(_ decision: Decision, isOnLoop: Bool) {
      var next: Decision? = decision
      while let decision = next {
        for action in decision.actions { act(action, of: decision, isOnLoop: isOnLoop) }
        if decision.isTimeNew { client.loop.set(self, to: decision.time.map { client.tick(after: $0) }) }
        next = state.withLock { $0.takeDecision() }
      }
    }

    private func act(_ action: OutletMachine.Action, of decision: Decision, isOnLoop: Bool) {
      switch action {
      case .connect(let node):
        if let node { move(to: node) }
        state.withLock(\.shared)?.join(self)
      case .leave: state.withLock { $0.channel.take() }?.close()
      case .send(let bytes, let count):
        guard let channel = decision.channel else { return }
        let mayBeDelayed = isOnLoop && channel.connection.loop === client.loop
        do throws(RedisError.Reason) { try channel.send(bytes, replies: count, mayBeDelayed: mayBeDelayed) } catch {
          lost(error, over: decision.number, channel)
        }
      case .subscribe, .proceed, .tell, .rest, .end: state.withLock(\.owner)?.carryOut(action)
      }
    }

    /// Goes on at the node of a cluster that has the key.
    private func move(to node: RedisEndpoint) {
      let shared = RedisClient.shared(for: node).connection(for: self)
      let former = state.withLock { state in
        defer { state.shared = shared }
        return state.shared
      }
      if former !== shared { former?.remove(self) }
    }
  }

  extension OutletDriver.State {
    /// Takes what is to be done; nil if there is nothing.
    fileprivate mutating func takeDecision() -> OutletDriver.Decision? {
      let (actions, next) = (machine.takeActions(), machine.nextTime)
      let isTimeNew = next != time
      (time, isActing) = (next, isTimeNew || !actions.isEmpty)
      guard isActing else { return nil }
      return OutletDriver.Decision(
        actions: actions, channel: channel, number: lastChannel, time: next, isTimeNew: isTimeNew)
    }
  }

  /// What the loop tells.
  extension OutletDriver: LoopTimer, ConnectionUser {
    func fire() { change(isOnLoop: true) { $0.timeHasCome(at: $1) } }

    func look(at now: Moment, reading share: inout LookShare, askingWith bytes: inout [UInt8]) -> OutletLook? {
      state.withLock { $0.machine.look(at: now, reading: &share, askingWith: &bytes) }
    }

    func looked(_ look: OutletLook, _ replies: ArraySlice<RedisReply>, at now: Moment) {
      let decision = state.withLock { state in
        state.machine.looked(look, replies, at: now)
        // Hardly ever.
        return state.machine.hasActions && !state.isActing ? state.takeDecision() : nil
      }
      if let decision { act(decision, isOnLoop: true) }
    }

    func received(_ result: Result<RedisConnection, RedisError.Reason>) {
      switch result {
      case .success(let connection):
        let number = state.withLock { state in
          state.lastChannel += 1
          return state.lastChannel
        }
        // The channel is forgotten with the connection, or at the end of the run.
        let channel = RedisChannel(connection) { channel, replies in self.received(replies, over: number, channel) }
        let isOver = state.withLock { state in
          if !state.machine.isOver { state.channel = channel }
          return state.machine.isOver
        }
        if isOver { return channel.close() }
        counts.noteContact(connection.contact)
        change { $0.connected(number, start: connection.start.withLock { $0 }, at: $1) }
      case .failure(let reason): change { machine, _ in machine.cannotConnect(reason) }
      }
    }

    private func received(
      _ replies: Result<[RedisReply], RedisError.Reason>, over number: Int, _ channel: RedisChannel
    ) {
      switch replies {
      case .success(let replies): change(isOnLoop: true) { $0.received(replies, over: number, at: $1) }
      case .failure(let reason): lost(reason, over: number, channel)
      }
    }

    private func lost(_ reason: RedisError.Reason, over number: Int, _ channel: RedisChannel) {
      let (isClosed, isLate) = (channel.connection.isClosed, channel.isLate)
      let isTooSlow = isLate && channel.connection.isTooSlow
      change { machine, _ in
        machine.lost(reason, isClosed: isClosed, isLate: isLate, isTooSlow: isTooSlow, over: number)
      }
    }
  }
#endif
