import Synchronization

/// The engine of one publisher: an actor with an executor that synchronous callers can enter.
///
/// Every operation is one short *turn*: enter, let `RegistryState` decide, leave, and only then perform the effects.
/// The engine isn't generic. It moves boxes, and only the generic interfaces know the types of the contents.
@usableFromInline
package actor PublisherRegistry {
  nonisolated let executor: RegistryExecutor
  @usableFromInline nonisolated let source: PublisherID
  @usableFromInline nonisolated let extras: PublisherExtras?
  /// The state, accessed only in turns, which neither nest nor overlap.
  ///
  /// So a dynamic exclusivity check would find nothing.
  @exclusivity(unchecked) private var state: RegistryState

  @usableFromInline
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// Whether a listener that has died unnoticed has to be retired before the next one arrives.
  ///
  /// Set in turns, and before anybody else knows the publisher, so relaxed accesses are enough.
  nonisolated let findsDeadListeners = Atomic<Bool>(false)

  /// Whether the main actor has been asked to look for dead subscribers.
  nonisolated let isMainActorSweepDue = Atomic<Bool>(false)

  /// Makes scheduling points, for tests only.
  nonisolated let schedulingPoints: SchedulingPoint.Maker

  package init(_ source: PublisherID, initial: (any BoxedPublication)?, _ extras: PublisherExtras? = nil) {
    self.init(source, initial: initial, extras, schedulingPoints: SchedulingPoint.Maker())
  }

  init(
    _ source: PublisherID, initial: (any BoxedPublication)?, _ extras: PublisherExtras? = nil,
    schedulingPoints: SchedulingPoint.Maker
  ) {
    self.source = source
    self.extras = extras
    self.schedulingPoints = schedulingPoints
    executor = RegistryExecutor(schedulingPoints)
    unsafe state = RegistryState(initial: initial, extras)
  }
}

extension PublisherRegistry {
  /// Takes one turn.
  ///
  /// The body decides, and does nothing that may run foreign code. As with `Locked.withLock`, its result outlives the
  /// turn.
  @inline(__always)
  package nonisolated func turn<R: ~Copyable>(_ body: (inout RegistryState) -> R) -> R {
    let decide: (isolated PublisherRegistry, (inout RegistryState) -> R) -> R = { unsafe $1(&$0.state) }
    executor.lock()
    // An isolated function takes its actor as its first argument, and the lock provides the isolation. The literal
    // captures nothing, so nothing is allocated.
    let result = unsafe unsafeBitCast(
      decide, to: ((PublisherRegistry, (inout RegistryState) -> R) -> R).self)(self, body)
    executor.unlock()
    withExtendedLifetime(result) {}
    return result
  }

  /// Takes one turn and then performs its effects.
  nonisolated func perform<R: ~Copyable>(_ body: (inout RegistryState, inout Effects) -> R) -> R {
    var effects = Effects()
    let result = turn { body(&$0, &effects) }
    effects.perform()
    return result
  }
}

/// Publishing.
extension PublisherRegistry {
  /// Accepts a state and delivers it, unless this thread is running the transform of an update.
  @usableFromInline
  nonisolated func publish(_ new: any BoxedPublication) {
    if extras != nil { carryContext(in: new) }
    var effects = Effects()
    let action: AcceptAction? = turn { state in
      if state.isFinished || state.isInTransform { return nil }
      return state.acceptFromOthers(new, &effects)
    }
    guard let action else { return stopIfInTransform() }
    effects.perform(delivering: { action.deliver(new) })
  }

  /// The outcome of publishing a state that depends on the one before.
  private enum ReplaceAction {
    case accepted(AcceptAction)
    /// The publisher takes no further states.
    case dropped
    /// Another thread came first.
    case superseded
    case misuse
  }

  /// Accepts a state and delivers it, if `old` is still the current state.
  ///
  /// Returns false if it isn't; after the publisher's end, returns true and drops the new state. With `endsUpdate`, a
  /// transform of `update` has made the new state, and its mark is removed in the same turn. `keepsData` tells whether
  /// the data is that of the old one. With `repeats`, the whole state is that of the old one, so it makes no difference
  /// to the publisher's owner.
  @usableFromInline
  nonisolated func publish(
    _ new: any BoxedPublication, ifCurrentIs old: AnyObject, endsUpdate: Bool = false, keepsData: Bool,
    repeats: Bool = false
  ) -> Bool {
    if extras != nil { carryContext(in: new) }
    var effects = Effects()
    let action: ReplaceAction = turn { state in
      if !endsUpdate, state.isInTransform { return .misuse }
      // Even if another thread came first, so that whatever is released then is released outside the transform.
      if endsUpdate { state.endUpdate() }
      if state.isFinished { return .dropped }
      guard state.current === old else { return .superseded }
      return .accepted(
        repeats ? state.accept(new, &effects) : state.acceptFromOthers(new, keepsData: keepsData, &effects))
    }
    switch action {
    case .accepted(let action):
      effects.perform(delivering: { action.deliver(new) })
      return true
    case .dropped: return true
    case .superseded: return false
    case .misuse: stopForTransform()
    }
  }

  /// Has a state carry the values that the publisher propagates (2.10).
  @inline(never)
  private nonisolated func carryContext(in new: any BoxedPublication) {
    if let carried = captureContext() { new.carry(carried) }
  }

  /// Reads the values that deliveries are to see; foreign code.
  nonisolated func captureContext() -> Carried? { extras?.capture() }

  /// The current state and its version, read together.
  @usableFromInline
  nonisolated var current: (any BoxedPublication)? { turn { $0.current } }

  /// The current state and what has happened to its data since, read together.
  nonisolated var currentAndValidity: (any BoxedPublication, DataValidity)? {
    turn { state in state.current.map { ($0, state.validity) } }
  }

  /// The current state, and the one that transitions by hand start from if that is another one, read together.
  @usableFromInline
  nonisolated var currentAndBase: (current: (any BoxedPublication)?, base: (any BoxedPublication)?) {
    turn { state in (state.current, state.current.flatMap { state.owner?.base(insteadOf: $0) }) }
  }

  /// Takes no further states (3.09).
  @usableFromInline
  nonisolated func finish() {
    // Who has died unnoticed doesn't end because of this.
    sweep()
    perform { $0.finish(&$1) }
  }

  nonisolated var isFinished: Bool { turn { $0.isFinished } }

  /// Ends the publisher, which was released.
  package nonisolated func release() { perform { $0.release(&$1) } }

  nonisolated var isReleased: Bool { turn { $0.isReleased } }
}

/// Updates, whose transforms run outside every turn.
extension PublisherRegistry {
  /// Marks that this thread is about to run the transform.
  @usableFromInline
  nonisolated func beginUpdate() {
    let isNested = turn { state in
      if state.isInTransform { return true }
      state.updating.append(.current)
      return false
    }
    if isNested { stopForTransform() }
  }

  /// Ends an update whose transform has thrown or changes nothing.
  @usableFromInline
  nonisolated func abandonUpdate() { turn { $0.endUpdate() } }

  /// Stops the program if this thread is running a transform.
  ///
  /// No other thread can change the answer, so it needn't be the turn that has dropped the state.
  nonisolated func stopIfInTransform() { if turn({ $0.isInTransform }) { stopForTransform() } }

  nonisolated func stopForTransform() -> Never {
    let equality = "the == of updateData(ifChanged:)"
    let others = turn { $0.owner?.transforms }.map { ", \(equality), or \($0)" } ?? " or \(equality)"
    stopForMisuse(
      """
      A transform of update(_:)\(others) on \(source) changes the same publisher, \
      directly or indirectly, and would run again forever: return the new state instead, or publish after the call has \
      returned
      """)
  }
}

extension RegistryState {
  /// Whether this thread is running the transform of an update.
  @inline(__always) var isInTransform: Bool { !updating.isEmpty && updating.contains(.current) }

  fileprivate mutating func endUpdate() { updating.removeAll { $0 == .current } }
}
