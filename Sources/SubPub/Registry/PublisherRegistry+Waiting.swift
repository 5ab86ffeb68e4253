import Dispatch

extension PublisherRegistry {
  /// Returns when every subscription of this moment has been served (rule 3.07), or the task is cancelled.
  @usableFromInline
  package nonisolated func drain() async {
    let (waiter, looksForDead) = turn { state in
      let waiter = state.waiters.add(missing: 0)
      var missing = 0
      for index in state.lanes.indices where state.lanes[index].await(state.newest, by: waiter) { missing += 1 }
      return (state.waiters.expect(missing, of: waiter), missing > 0 && state.beginLookingForDead())
    }
    guard let waiter else { return }
    if looksForDead { lookForDead() }
    await withTaskCancellationHandler {
      await wait(for: waiter)
    } onCancel: {
      turnAndAct { state, after in state.abandonDrain(waiter, &after) }
    }
  }

  /// Looks 20 times a second, while somebody drains, whether subscribers have died whose context doesn't run: nothing else
  /// would notice, and nobody has to wait for the dead. The timer holds the registry, but not the publisher. Weakly, a
  /// program that ends before the timer would show a leak: no sanitizer understands a pending weak reference.
  private nonisolated func lookForDead() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
      guard let awaited = turn({ $0.awaitedSubscriptions() }) else { return }
      let dead = awaited.filter { !$0.isAlive }
      if !dead.isEmpty { retire(dead) }
      lookForDead()
    }
  }

  nonisolated func wait(for waiter: WaiterID) async {
    await Wakeup.wait { wakeup in turn { $0.waiters.wait(waiter, wakeup) } }
    // The caller may now read what deliveries have written, without a lock (rule 2.09). The continuation sees to it, but
    // doesn't tell ThreadSanitizer if it was resumed before the task had suspended. A turn does.
    turn { _ in }
  }
}

extension RegistryState {
  /// Whether somebody drains, and the caller is the one to look for the dead meanwhile.
  fileprivate mutating func beginLookingForDead() -> Bool {
    guard !isLookingForDead, lanes.contains(where: \.mayWaitForDead) else { return false }
    isLookingForDead = true
    return true
  }

  /// Whom somebody who drains may wait for. Nil ends the looking.
  fileprivate mutating func awaitedSubscriptions() -> [Subscription]? {
    let awaited = lanes.filter(\.mayWaitForDead)
    isLookingForDead = !awaited.isEmpty
    return awaited.isEmpty ? nil : awaited.flatMap(\.subscriptions)
  }

  /// The task that drains has been cancelled.
  fileprivate mutating func abandonDrain(_ waiter: WaiterID, _ after: inout AfterTurn) {
    for index in lanes.indices { lanes[index].waits.removeAll { $0.waiter == waiter } }
    waiters.remove(waiter, &after)
  }
}

extension Lane {
  /// Somebody drains this lane, and its subscribers may die before it is served. Contexts of tests have no time of
  /// their own.
  fileprivate var mayWaitForDead: Bool {
    !waits.isEmpty && !isIteration && (runner.isImmediate || runner.delivery.context.isTimed)
  }
}
