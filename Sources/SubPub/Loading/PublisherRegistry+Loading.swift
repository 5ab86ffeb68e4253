/// The turns of a manager's loads and of its cache.
extension PublisherRegistry {
  /// Joins the active load if it covers the requested kind.
  nonisolated func joinLoad(_ requested: ActiveLoad.Kind, waits: Bool) -> RegistryState.JoinLoadAction {
    turn { $0.joinLoad(requested, waits: waits) }
  }

  /// The outcome of a request to begin a load.
  enum BeginLoadAction {
    /// The load has begun; the waiter is for callers that wait.
    case began(WaiterID?)
    /// The state has changed in the meantime.
    case superseded
  }

  /// Begins a load if `old` is still the current state.
  nonisolated func begin(
    _ load: ActiveLoad, publishing state: any BoxedPublication, insteadOf old: AnyObject, waits: Bool,
    then operation: CacheOperation?
  ) -> BeginLoadAction {
    // No other thread can change the answer, so it needn't be the same turn.
    if turn({ $0.updating.contains(.current) }) { stopForTransform() }
    var effects = Effects()
    let begun = turn { registry -> (action: RegistryState.LoadAction, waiter: WaiterID?)? in
      guard registry.current === old else { return nil }
      registry.enqueue(operation, &effects)
      return registry.begin(load, publishing: state, waits: waits, &effects)
    }
    guard let begun else { return .superseded }
    perform(begun.action, effects)
    return .began(begun.waiter)
  }

  /// Publishes another state while the load continues; returns false if the load has ended.
  ///
  /// `before` is the state to return to from now on if the load is cancelled.
  nonisolated func publish(
    _ state: any BoxedPublication, within task: LoadTask, before: (any BoxedPublication)? = nil
  ) -> Bool {
    loadTurn { registry, effects in registry.publish(state, within: task, before: before, &effects) }
  }

  /// Publishes the load's result, or drops it if the load was superseded.
  ///
  /// The waiters are resumed in a second turn, after this thread has delivered the result as every publishing thread
  /// does. A caller that hasn't begun to wait yet doesn't wait at all once its result is available.
  nonisolated func commit(_ result: any BoxedPublication, of task: LoadTask, then operation: CacheOperation? = nil) {
    var effects = Effects()
    let committed = turn { registry in
      let committed = registry.commit(result, of: task, &effects)
      if committed != nil { registry.enqueue(operation, &effects) }
      return committed
    }
    guard let committed else { return }
    perform(committed.action, effects)
    if !committed.waiters.isEmpty {
      perform { registry, effects in registry.deliver(result, to: committed.waiters, &effects) }
    }
  }

  /// Returns whether the load has neither ended nor been superseded.
  nonisolated func isActive(_ task: LoadTask) -> Bool { turn { $0.loading.active?.task === task } }

  /// Waits for the end of the load, and returns its result.
  ///
  /// Returns nil if the load was superseded, or if this task is cancelled.
  nonisolated func result(for waiter: WaiterID) async -> (any BoxedPublication)? {
    await withTaskCancellationHandler {
      await wait(for: waiter)
    } onCancel: {
      loadTurn { registry, effects in registry.cancelLoadWaiter(waiter, &effects) }
      // The last waiter continues when this thread has delivered the state from before the load.
      perform { registry, effects in registry.waiters.remove(waiter, &effects) }
    }
    return turn { $0.loading.results.removeValue(forKey: waiter) }
  }

  /// Ends the load because its manager is gone, and publishes the state from before it.
  nonisolated func rollBackLoad() { loadTurn { registry, effects in registry.rollBackLoad(&effects) } }

  /// Publishes a state and appends an operation to the cache's queue, in one step.
  nonisolated func publish(_ new: any BoxedPublication, then operation: CacheOperation) {
    var effects = Effects()
    let accepted: AcceptAction? = turn { registry in
      guard !registry.updating.contains(.current) else { return nil }
      registry.enqueue(operation, &effects)
      return registry.accept(new, replays: replays, &effects)
    }
    guard let accepted else { stopForTransform() }
    effects.perform()
    accepted.perform(delivering: new)
    _ = consume effects
  }

  /// Takes one turn that may publish a state; returns whether it did.
  @discardableResult
  private nonisolated func loadTurn(
    _ body: (inout RegistryState, inout Effects) -> RegistryState.LoadAction?
  ) -> Bool {
    var effects = Effects()
    let action = turn { body(&$0, &effects) }
    if let action { perform(action, effects) } else { effects.perform() }
    return action != nil
  }

  private nonisolated func perform(_ action: RegistryState.LoadAction, _ effects: borrowing Effects) {
    effects.perform()
    action.accepted.perform(delivering: action.state)
  }
}
