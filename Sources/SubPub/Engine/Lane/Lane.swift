import Synchronization

/// The states of one publisher that wait for one context and buffering policy, and the subscriptions that get them.
///
/// In the registry's turns, it decides what is pending and for which subscriptions (`Lane+Turns.swift`,
/// `Lane+Batches.swift`). Between them, the thread that serves it acts on that (`Lane+Serving.swift`).
package final class Lane: Servable {
  let registry: PublisherRegistry
  let context: DeliveryContext
  /// The buffering policy of all its subscriptions.
  let policy: BufferingPolicy
  /// The largest number of states that may be pending for a subscription.
  let capacity: Int
  /// How many of the newest states aren't skipped; `.max` if none ever is.
  let keptCount: Int
  let isImmediate: Bool
  /// Whether other subscriptions may join; the lane of one that had to wait (2.06), or has a pace (2.12), stays its
  /// own.
  let isShared: Bool
  /// Whether the publishing thread serves it as soon as its turn has ended, if nothing is in the way.
  let deliversAtOnce: Bool
  /// The lane's iterator; nil for lanes that are served.
  let iteration: Iteration?
  /// The pace of the lane's only subscription, if it has one.
  let pace: Pace?
  let phase: AtomicLanePhase
  /// The newest version that the lane was told of.
  ///
  /// One that has no subscription isn't told, and one that serves the current state isn't always. But once the state
  /// that it delivers has been superseded, this is newer than that one.
  ///
  /// Written in turns; read outside of them to find out whether a state is still wanted. Reading an old value is
  /// harmless: it is as if the delivery had begun before the publish.
  private let newestVersion: Atomic<UInt64>
  /// The thread that serves the lane.
  ///
  /// A thread compares it only with itself, and only while a delivery of the lane is under way, or, in a turn, while
  /// the lane is being served. It is stored in the turn in which a thread begins to serve, which releases the store.
  private let servingThreadBits = Atomic<UInt>(0)
  // Accessed only in turns. Turns exclude each other, so a dynamic exclusivity check would find nothing.
  @exclusivity(unchecked) private nonisolated(unsafe) var state: LaneState

  /// Creates a lane, which isn't in the registry's table yet.
  ///
  /// With predecessors, it isn't shared, and is woken only when that many deliveries in other lanes have ended.
  init(
    _ context: DeliveryContext, _ policy: BufferingPolicy = .unbounded, of registry: PublisherRegistry, newest: UInt64,
    behind predecessorCount: Int = 0
  ) {
    self.context = context
    self.policy = policy
    capacity = policy.capacity
    keptCount = policy.endsBeyondCapacity ? .max : policy.capacity
    isShared = context.isShared && policy.interval == nil && predecessorCount == 0
    deliversAtOnce = isShared && context.deliversAtOnce(policy)
    self.registry = registry
    phase = AtomicLanePhase(registry.schedulingPoints.makePoint())
    isImmediate = context.isImmediate
    if case .iteration(let selection) = context.kind {
      iteration = Iteration(of: selection)
    } else {
      iteration = nil
    }
    pace = policy.interval.map { Pace($0, registry.extras?.clock) }
    newestVersion = Atomic(newest)
    unsafe state = LaneState(obstacleCount: predecessorCount)
  }

  /// What the lane knows; only in turns.
  package var inTurn: LaneState {
    @inline(__always) _read { yield unsafe state }
    @inline(__always) _modify { yield unsafe &state }
  }

  var isIteration: Bool { iteration != nil }

  /// Whether it keeps no states, and delivers the publisher's current one: who wants the newest state alone needs no
  /// other.
  @inline(__always) var servesCurrent: Bool { keptCount == 1 && !isIteration }

  @inline(__always) var newest: UInt64 { newestVersion.load(ordering: .acquiring) }

  /// The publisher's newest version; outside every turn.
  var exactNewest: UInt64 { servesCurrent ? registry.turn { $0.newest } : newest }

  /// Sets the newest version; inside a turn.
  @inline(__always) func setNewest(_ version: UInt64) { newestVersion.store(version, ordering: .releasing) }
}

extension Lane {
  /// Takes one turn of the registry, in which `body` decides about this lane, and performs its effects.
  func perform<R>(_ body: (inout Effects) -> R) -> R {
    registry.perform { state, effects in state.withLane(self, &effects, body) }
  }

  /// Schedules the lane to be served on its context; outside every turn.
  func wake() {
    if !context.wake(self) { end() }
  }

  /// Ends the lane and its subscriptions, because the context is gone.
  func end() { registry.perform { state, effects in state.end(self, &effects) } }

  /// Whether the context is an actor that has died; loads it, and may be the last to release it.
  var isContextGone: Bool { context.isGone(context.actor) }
}

/// The thread that serves the lane.
extension Lane {
  var servingThread: ThreadToken {
    @inline(__always) get { ThreadToken(bits: servingThreadBits.load(ordering: .relaxed)) }
    @inline(__always) set { servingThreadBits.store(newValue.bits, ordering: .relaxed) }
  }

  /// Whether this thread is running the lane's delivery that is under way.
  var isServedHere: Bool { servingThread == .current }

  /// The outcome of a cancel while a delivery is under way.
  var outcomeUnderWay: CancelOutcome { isServedHere ? .reentrant : .inFlight }
}
