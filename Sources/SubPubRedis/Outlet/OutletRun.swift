#if Redis
  import Foundation
  import SubPub

  /// One run of an outlet: carries out what its machine decides.
  ///
  /// Three threads change the machine: that of the outlet, which takes states from the publisher and runs the user's
  /// code, that of the endpoint's connections, and the one that cancels. None of them waits for another: the one that
  /// finds actions, and nobody busy with them, carries them out until there are none left, so they keep their order.
  final class OutletRun<Value: Codable & Sendable>: Sendable {
    typealias States = PublicationSequence<Value>.Iterator
    typealias Instant = OutletMachine.Instant

    let outlet: RedisOutlet<Value>
    /// Values are encoded here, by foreign code, so it isn't the thread of the endpoint.
    let executor = QueueExecutor(label: "SubPub.RedisOutlet")
    let client: RedisClient
    let state: Locked<State>
    /// Lets the writing task go on.
    let wake = Wake()
    /// Measures for how long the server has refused to write.
    let stopwatch: @Sendable () -> Duration
    private let timer = Locked<LoopTimer?>(nil)

    struct State {
      var machine: OutletMachine
      var actions: [OutletMachine.Action] = []
      /// Whether a thread carries out actions.
      var isActing = false
      var shared: SharedConnection
      /// The way to the server; nil while there is none.
      var channel: RedisChannel?
      var lastChannel = 0
      /// What is to be written; nil while the outlet waits for another one's end.
      var states: States?
      /// Shows an outlet that waits whether its publisher has finished.
      var idle: StateSequence<Value>.Iterator?
      /// What the subscription has skipped, once it has ended.
      var skipped: Int?
      /// When the timer is to fire.
      var next: Instant?
      /// When it does.
      var time: Instant?
      /// What waits on the user's clock.
      var pauses: [Pause: Task<Void, Never>] = [:]
      /// Why there is no connection.
      var error: RedisError?
      var failure: (any Error)?
      /// Whether everything that the machine has decided is carried out, and the run is over.
      var hasEnded = false
    }

    init(_ outlet: RedisOutlet<Value>) {
      self.outlet = outlet
      client = RedisClient.shared(for: outlet.endpoint)
      stopwatch = outlet.clock.stopwatch()
      var lease: OutletLease?
      if case .standby(let time) = outlet.role { lease = OutletLease(time: time) }
      let settings = OutletMachine.Settings(key: outlet.key, endpoint: outlet.endpoint, maxLength: outlet.maxLength)
      let machine = OutletMachine(settings, lease: lease)
      state = Locked(State(machine: machine, shared: SharedConnection(client)))
    }

    /// Writes until the task is cancelled and everything is written, or the run has failed.
    ///
    /// A cancel is noted at once: what is published later isn't counted (8.07).
    func run() async throws {
      begin()
      // Not cancelled with the caller's: there may be states to write. Without the preference, each of its waits would
      // end on Swift's pool.
      let writing = Task(executorPreference: executor) { await self.writeStates() }
      await withTaskCancellationHandler {
        await writing.value
      } onCancel: {
        cancel()
      }
      let loops = end()
      // They may still hold this object, and with it what is foreign.
      for loop in loops { await Task(executorPreference: loop) {}.value }
      if let failure = state.withLock(\.failure) { throw failure }
    }

    private func begin() {
      let shared = client.connection(for: self)
      let timer = LoopTimer { [weak self] in self?.change(isOnLoop: true) { $0.timeHasCome(at: $1) } }
      self.timer.withLock { $0 = timer }
      state.withLock { $0.shared = shared }
      outlet.counts.begin(self)
      if case .takeOver = outlet.role { subscribe() }
      change { machine, _ in machine.start() }
    }

    /// Lets go of everything; returns the loops whose threads may be busy with this run.
    private func end() -> [RedisLoop] {
      let (shared, channel, pauses, failure) = state.withLock { state in
        (state.shared, state.channel.take(), state.pauses.values, state.failure)
      }
      channel?.close()
      shared.remove(self)
      if let timer = timer.withLock({ $0 }) { client.loop.set(timer, to: nil) }
      for pause in pauses { pause.cancel() }
      endStates()
      outlet.counts.end(self, failure)
      return shared.client === client ? [client.loop] : [client.loop, shared.client.loop]
    }

    /// Changes the machine, and does what follows.
    @discardableResult
    func change<Result>(isOnLoop: Bool = false, _ body: (inout OutletMachine, Instant) -> Result) -> Result {
      let (result, acts) = state.withLock { state in
        let result = body(&state.machine, .now)
        let decision = state.machine.takeDecision()
        state.actions += decision.actions
        state.next = decision.time
        if state.isActing || state.actions.isEmpty && state.next == state.time { return (result, false) }
        state.isActing = true
        return (result, true)
      }
      if acts { act(isOnLoop: isOnLoop) }
      return result
    }

    private func act(isOnLoop: Bool) {
      while let (actions, time) = takeActions() {
        for action in actions { act(action, isOnLoop: isOnLoop) }
        if let timer = timer.withLock({ $0 }) { client.loop.set(timer, to: time.map(client.tick(after:))) }
      }
    }

    private func takeActions() -> (actions: [OutletMachine.Action], time: Instant?)? {
      state.withLock { state in
        if state.actions.isEmpty, state.next == state.time {
          state.isActing = false
          return nil
        }
        defer { (state.actions, state.time) = ([], state.next) }
        return (state.actions, state.next)
      }
    }

    private func act(_ action: OutletMachine.Action, isOnLoop: Bool) {
      switch action {
      case .connect(let node):
        if let node { move(to: node) }
        state.withLock(\.shared).join(self)
      case .leave: state.withLock { $0.channel.take() }?.close()
      case .send(let bytes, let count):
        let (channel, number) = state.withLock { ($0.channel, $0.lastChannel) }
        guard let channel else { return }
        let mayWait = isOnLoop && channel.connection.loop === client.loop
        do throws(RedisError.Reason) { try channel.send(bytes, replies: count, mayWait: mayWait) } catch {
          lost(error, over: number, channel)
        }
      case .subscribe: subscribe()
      case .proceed: wake.set()
      case .tell(let event):
        if event != .disconnected { state.withLock { $0.error = nil } }
        if outlet.instrumentation != nil { executor.queue.async { [self] in tell(event) } }
      case .rest(let reason, let isLoss): executor.queue.async { [self] in rest(after: reason, isLoss: isLoss) }
      case .end(let error):
        state.withLock { ($0.failure, $0.hasEnded) = (error, true) }
        wake.set()
        // The states that are pending are foreign.
        executor.queue.async { [self] in endStates() }
      }
    }

    /// Goes on at the node of a cluster that has the key.
    private func move(to node: RedisEndpoint) {
      let shared = RedisClient.shared(for: node).connection(for: self)
      let former = state.withLock { state in
        defer { state.shared = shared }
        return state.shared
      }
      if former !== shared { former.remove(self) }
    }
  }

  /// The connection.
  extension OutletRun: ConnectionUser {
    func received(_ result: Result<RedisConnection, RedisError.Reason>) {
      switch result {
      case .success(let connection):
        let number = state.withLock { state in
          state.lastChannel += 1
          return state.lastChannel
        }
        let channel = RedisChannel(connection) { [weak self] channel, replies in
          self?.received(replies, over: number, channel)
        }
        let hasEnded = state.withLock { state in
          if !state.hasEnded { state.channel = channel }
          return state.hasEnded
        }
        if hasEnded { return channel.close() }
        outlet.counts.noteContact(connection.contact)
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
      let (isClosed, isLate) = (channel.connection.isClosed, channel.connection.isLate(channel))
      change { machine, _ in machine.lost(reason, isClosed: isClosed, isLate: isLate, over: number) }
    }
  }
#endif
