/// Waiting.
extension LoadDriver {
  /// Asks for a load in one turn.
  ///
  /// Returns the load to wait for, and the waiter of a caller that waits; nil if there is nothing to load.
  func ask(
    waits: Bool, _ body: (inout Machine, WaiterID?, Machine.Present) -> (LoadStep<Value>, LoadAnswer)
  ) -> LoadWait? {
    var (waiter, answer) = (WaiterID?.none, LoadAnswer.nothing)
    let load = decideOnLoad { machine, present, waiters, effects in
      if waits { waiter = waiters.add(missing: 1) }
      let (step, new) = body(&machine, waiter, present)
      if new == .nothing, let waiter { waiters.remove(waiter, &effects) }
      answer = new
      return step
    }
    guard let load, let waiter, answer != .nothing else { return nil }
    return LoadWait(waiter: waiter, isForNext: answer == .next, load: load)
  }

  struct LoadWait {
    let waiter: WaiterID
    /// Whether to ask again after this load.
    let isForNext: Bool
    let load: Load<Value>?
  }

  /// Waits for the end of a load, and returns the state that it has ended with.
  ///
  /// Returns nil if the load was superseded, or if this task is cancelled.
  func result(of wait: LoadWait) async -> LoadState<Value>? {
    await suspend(wait.waiter) { machine, present in machine.leave(wait.waiter, present) }
    return registry.turn { _ in wait.load?.result }?.state
  }

  func suspend(
    _ waiter: WaiterID, onCancel leave: @Sendable (inout Machine, Machine.Present) -> LoadStep<Value>
  ) async {
    await registry.wait(for: waiter) {
      decide { leave(&$0, $1) }
      // The last waiter continues when this thread has delivered the state from before the load.
      registry.perform { turn, effects in turn.waiters.remove(waiter, &effects) }
    }
  }
}
