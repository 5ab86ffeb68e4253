extension PublisherRegistry {
  /// Returns when every subscription of this moment has been served (rule 3.07), or the task is cancelled.
  @usableFromInline
  nonisolated func drain() async {
    let waiter = turn { state -> WaiterID? in
      let waiter = state.waiters.add(missing: 0)
      var missing = 0
      for index in state.lanes.indices where state.lanes[index].await(state.newest, by: waiter) { missing += 1 }
      return state.waiters.expect(missing, of: waiter)
    }
    if let waiter { await waitOrGiveUp(waiter) }
  }

  /// Waits until everything has happened that the waiter is for, or the task is cancelled.
  nonisolated func waitOrGiveUp(_ waiter: WaiterID) async {
    await withTaskCancellationHandler {
      await wait(for: waiter)
    } onCancel: {
      turnAndAct { state, after in state.waiters.remove(waiter, &after) }
    }
  }

  nonisolated func wait(for waiter: WaiterID) async {
    unsafe await withUnsafeContinuation { continuation in
      let wakeup = unsafe Wakeup(continuation)
      if !turn({ $0.waiters.wait(waiter, wakeup) }) { wakeup.resume() }
    }
    // The caller may now read what deliveries have written, without a lock (rule 2.09). The continuation sees to it, but
    // doesn't tell ThreadSanitizer if it was resumed before the task had suspended. A turn does.
    turn { _ in }
  }
}
