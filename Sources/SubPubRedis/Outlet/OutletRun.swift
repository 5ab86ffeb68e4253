#if Redis
  import Foundation
  import SubPub

  /// One run of an outlet: takes states from the publisher, and runs the user's code.
  final class OutletRun<Value: Codable & Sendable>: Sendable {
    typealias States = PublicationSequence<Value>.Iterator

    let outlet: RedisOutlet<Value>
    /// Values are encoded here, by foreign code, so it isn't the thread of the endpoint.
    let executor = QueueExecutor(label: "SubPub.RedisOutlet")
    let driver: OutletDriver
    let state = Locked(State())
    /// Lets the writing task go on.
    let wake = Wake()
    /// Measures for how long the server has refused to write.
    let stopwatch: @Sendable () -> Duration

    struct State {
      /// What is to be written; nil while the outlet waits for another one's end.
      var states: States?
      /// Tells a waiting outlet that its publisher has finished.
      var idle: StateSequence<Value>.Iterator?
      /// What the subscription has skipped, once it has ended.
      var skipped: Int?
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
      stopwatch = outlet.clock.stopwatch()
      var lease: OutletLease?
      if case .standby(let time) = outlet.role { lease = OutletLease(time: time) }
      let settings = OutletMachine.Settings(key: outlet.key, endpoint: outlet.endpoint, maxLength: outlet.maxLength)
      driver = OutletDriver(
        OutletMachine(settings, lease: lease), RedisClient.shared(for: outlet.endpoint), outlet.counts)
    }

    /// Writes until the task is cancelled and everything is written, or the run has failed.
    ///
    /// A cancel is noted at once: what is published later isn't counted (8.07).
    func run() async throws {
      outlet.counts.begin(self)
      if case .takeOver = outlet.role { subscribe() }
      driver.begin(self)
      await withTaskCancellationHandler {
        // Not cancelled with the caller's: there may be states to write. Without the preference, each of its waits
        // would end on Swift's pool.
        await Task(executorPreference: executor) { await self.writeStates() }.value
      } onCancel: {
        cancel()
      }
      // What has happened is told before the run is over.
      await Task(executorPreference: executor) {}.value
      let loops = driver.end()
      let (pauses, failure) = state.withLock { ($0.pauses.values, $0.failure) }
      for pause in pauses { pause.cancel() }
      endStates()
      outlet.counts.end(self, failure)
      // They may still hold this object, and with it what is foreign.
      for loop in loops { await Task(executorPreference: loop) {}.value }
      if let failure { throw failure }
    }
  }

  extension OutletRun: OutletOwner {
    func carryOut(_ action: OutletMachine.Action) {
      switch action {
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
      case .connect, .leave, .send: break
      }
    }
  }
#endif
