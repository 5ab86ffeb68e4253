/// The engine of one publisher: an actor that isolates its state, and whose executor synchronous callers can enter.
///
/// Every operation is one short *turn*: enter, let `RegistryState` decide, leave, and only then act on what came back.
/// Not generic: it moves boxes, and the faces know what is in them.
@usableFromInline
package actor PublisherRegistry {
  private nonisolated let executor: RegistryExecutor
  @usableFromInline nonisolated let source: PublisherID
  /// Whether newcomers get the current state. Calls of a multicast delegate are not replayed.
  nonisolated let replays: Bool
  /// Accessed at the top level of a turn only, and turns exclude each other: the dynamic check would find nothing.
  @exclusivity(unchecked) private var state: RegistryState

  @usableFromInline
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  @usableFromInline
  package init(_ source: PublisherID, initial: (any Stamped)?) {
    self.init(source, initial: initial, executor: RegistryExecutor())
  }

  init(_ source: PublisherID, initial: (any Stamped)?, executor: RegistryExecutor) {
    self.source = source
    self.executor = executor
    replays = initial != nil
    unsafe state = RegistryState(initial: initial)
  }
}

extension PublisherRegistry {
  /// One turn. `body` decides, and does nothing that is, or may run, foreign code. As in `Locked.withLock`, what it
  /// returns outlives the turn.
  @inline(__always)
  package nonisolated func turn<R: ~Copyable>(_ body: (inout RegistryState) -> R) -> R {
    let decide: (isolated PublisherRegistry, (inout RegistryState) -> R) -> R = { unsafe $1(&$0.state) }
    executor.lock()
    // An isolated function takes its actor as its first argument; the lock is the isolation. The literal captures
    // nothing, so nothing is allocated.
    let result = unsafe unsafeBitCast(
      decide, to: ((PublisherRegistry, (inout RegistryState) -> R) -> R).self)(self, body)
    executor.unlock()
    withExtendedLifetime(result) {}
    return result
  }

  /// One turn, and what follows from it.
  nonisolated func turnAndAct<R>(_ body: (inout RegistryState, inout AfterTurn) -> R) -> R {
    var after = AfterTurn()
    let result = turn { body(&$0, &after) }
    after.act()
    return result
  }

  /// Accepts a state. Nil when this thread runs a transform of `update`.
  @inline(__always)
  nonisolated func enterAccept(_ new: any Stamped, _ after: inout AfterTurn) -> Accepted? {
    let accept: (isolated PublisherRegistry, any Stamped, inout AfterTurn) -> Accepted? = {
      guard unsafe $0.state.updating.isEmpty || !$0.state.updating.contains(.current) else { return nil }
      return unsafe $0.state.accept($1, replays: $0.replays, &$2)
    }
    executor.lock()
    // As in `turn`.
    let accepted = unsafe unsafeBitCast(
      accept, to: ((PublisherRegistry, any Stamped, inout AfterTurn) -> Accepted?).self)(self, new, &after)
    executor.unlock()
    withExtendedLifetime(accepted) {}
    return accepted
  }
}
