import SubPub
import SubPubTesting

/// Where a subscription of a simulation is delivered, and how to tell that a delivery really is there.
final class Context {
  let context: DeliveryContext
  /// The lane that its subscriptions share; nil if each has its own.
  let lane: Int?
  /// Whether it runs one thing at a time.
  let isSerial: Bool
  private let isHere: () -> Bool
  /// The actor, which the library holds weakly.
  private var actor: (any Actor)?
  /// It was an actor, and was let go of.
  private(set) var isGone = false

  init(_ context: DeliveryContext, lane: Int?, isSerial: Bool, actor: (any Actor)? = nil, isHere: @escaping () -> Bool)
  {
    self.context = context
    self.lane = lane
    self.isSerial = isSerial
    self.actor = actor
    self.isHere = isHere
  }

  /// Whether the running strand is there.
  var isRunningHere: Bool { isHere() }

  func letActorGo() {
    isGone = true
    actor = nil
  }

  /// An actor on a manual executor.
  actor Host {
    private let executor: ManualExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    init(_ executor: ManualExecutor) { self.executor = executor }
  }
}

extension Simulation {
  /// The publishing thread.
  var immediate: Context { Context(.immediate, lane: 0, isSerial: false) { true } }

  /// A serial queue, and all that is on it: one lane.
  func serialQueue() -> Context { serial(makeQueue(.serial)) }

  func serial(_ queue: StandInQueue) -> Context {
    Context(.queue(queue), lane: makeNumber(), isSerial: true) { queue.isRunningHere }
  }

  /// A concurrent queue whose subscriptions share a lane, or have one each, as on `.background`.
  func concurrentQueue(independent: Bool) -> Context {
    let queue = makeQueue(.concurrent)
    return Context(.queue(queue, independent: independent), lane: independent ? nil : makeNumber(), isSerial: false) {
      queue.isRunningHere
    }
  }

  /// A task executor with several threads.
  func executor() -> Context {
    let queue = makeQueue(.concurrent)
    return Context(.executor(StandInExecutor(queue)), lane: nil, isSerial: false) { queue.isRunningHere }
  }

  /// A manual executor as a task executor.
  func manualExecutor() -> Context {
    let executor = makeManualExecutor()
    return Context(.executor(executor), lane: nil, isSerial: true) { executor.isIsolatingCurrentContext() == true }
  }

  /// An actor on a manual executor.
  func actor() -> Context {
    if isExplored {
      let queue = makeQueue(.serial)
      let host = StandInActor(queue)
      return Context(.actor(host), lane: makeNumber(), isSerial: true, actor: host) { queue.isRunningHere }
    }
    let executor = makeManualExecutor()
    let host = Context.Host(executor)
    return Context(.actor(host), lane: makeNumber(), isSerial: true, actor: host) {
      executor.isIsolatingCurrentContext() == true
    }
  }
}
