/// The turns of a manager's loads.
extension PublisherRegistry {
  /// Joins the active load if it covers the request.
  nonisolated func joinLoad(_ request: LoadRequest, waits: Bool) -> RegistryState.JoinLoadAction {
    turn { $0.joinLoad(request, waits: waits) }
  }

  /// The present state; nil after the publisher's end.
  nonisolated var present: PresentState? { turn { $0.present } }

  /// The present state for a manager; nil after the manager's end, or the publisher's.
  nonisolated var managed: PresentState? { turn { $0.managed } }

  /// Returns what has happened to the data of a publication, if it is the current one.
  nonisolated func validity(ofDataIn publication: AnyObject) -> DataValidity? {
    turn { $0.current === publication ? $0.loading.validity : nil }
  }

  /// The outcome of a request to begin a load.
  enum BeginLoadAction {
    /// The load has begun; the waiter is for callers that wait.
    case began(WaiterID?)
    /// The state has changed in the meantime.
    case superseded
  }

  /// Begins a load if the state and the active load are still the same, and publishes a state if there is one.
  ///
  /// A quiet load publishes nothing when it begins, so the state alone doesn't tell that another one has begun.
  nonisolated func begin(
    _ load: ActiveLoad, for request: LoadRequest, publishing state: (any BoxedPublication)?,
    ifCurrentIs old: AnyObject, andLoadIs active: LoadTask?, waits: Bool, enqueuing operation: CacheOperation?
  ) -> BeginLoadAction {
    stopIfInTransform()
    var effects = Effects()
    let begun = turn { registry -> (action: RegistryState.LoadAction?, waiter: WaiterID?)? in
      let loading = registry.loading
      guard registry.current === old, loading.active?.task === active, !loading.isManagerGone else { return nil }
      operation?.enqueue(&effects)
      return registry.begin(load, for: request, publishing: state, waits: waits, &effects)
    }
    guard let begun else { return .superseded }
    perform(begun.action, effects)
    return .began(begun.waiter)
  }

  /// Publishes another state of the same data while the load continues.
  nonisolated func publish(_ step: LoadStep, within task: LoadTask) -> StepOutcome<Void> {
    make(step, of: task) { registry, effects in
      RegistryState.LoadAction(accepted: registry.acceptKeepingLoad(step.state, &effects), state: step.state)
    } then: { action, effects in
      perform(action, effects)
    }
  }

  /// Publishes a cached value.
  nonisolated func acceptCached(
    _ step: LoadStep, age: Duration, before: any BoxedPublication, within task: LoadTask
  ) -> StepOutcome<CachedOutcome> {
    make(step, of: task) { registry, effects in
      registry.acceptCached(step.state, age: age, before: before, &effects)
    } then: { action, effects in
      switch action {
      case .isResult(let end):
        finish(end, effects)
        return .isResult
      case .published(let action):
        perform(action, effects)
        return .published
      }
    }
  }

  /// Publishes the load's result, or drops it if the load was superseded.
  nonisolated func commit(
    _ step: LoadStep, of task: LoadTask, failure: LoadFailure? = nil, enqueuing operation: CacheOperation? = nil
  ) -> StepOutcome<Void> {
    make(step, of: task) { registry, effects in
      operation?.enqueue(&effects)
      return registry.commit(step.state, failure: failure, &effects)
    } then: { end, effects in
      finish(end, effects)
    }
  }

  /// Ends a load that leaves the data as it is, new since `time`.
  nonisolated func confirm(
    _ step: LoadStep, since time: Duration?, of task: LoadTask, enqueuing operation: CacheOperation?
  ) -> StepOutcome<Void> {
    make(step, of: task) { registry, effects in
      operation?.enqueue(&effects)
      return registry.confirm(step.state, since: time, &effects)
    } then: { end, effects in
      finish(end, effects)
    }
  }

  /// Returns whether the load has neither ended nor been superseded.
  nonisolated func isActive(_ task: LoadTask) -> Bool { turn { $0.loading.active?.task === task } }

  /// Waits for the end of the load, and returns its result.
  ///
  /// Returns nil if the load was superseded, or if this task is cancelled.
  nonisolated func result(for waiter: WaiterID) async -> (any BoxedPublication)? {
    await wait(for: waiter) {
      rollBackTurn { registry, effects in registry.cancelLoadWaiter(waiter, &effects) }
      // The last waiter continues when this thread has delivered the state from before the load.
      perform { registry, effects in registry.waiters.remove(waiter, &effects) }
    }
    return turn { $0.loading.results.removeValue(forKey: waiter) }
  }

  /// Ends the load, and publishes the state from before it.
  nonisolated func rollBackLoad() { rollBackTurn { registry, effects in registry.rollBackLoad(&effects) } }

  /// Ends the load and the polls, because the manager is gone.
  nonisolated func endManager() { loadTurn { registry, effects in registry.endManager(&effects) } }

  nonisolated func invalidate() { turn { $0.invalidate() } }

  /// Whether the value that is in the cache, or is being written to it, doesn't count as fresh.
  nonisolated var isCacheInvalidated: Bool { turn { $0.loading.isCacheInvalidated } }

  /// Publishes a state and appends an operation that replaces the cache's value, in one step.
  nonisolated func publish(_ new: any BoxedPublication, enqueuing operation: CacheOperation?) {
    var effects = Effects()
    let action = turn { registry -> RegistryState.LoadAction? in
      guard !registry.updating.contains(.current) else { return nil }
      operation?.enqueue(&effects)
      registry.loading.isCacheInvalidated = false
      return RegistryState.LoadAction(accepted: registry.accept(new, replays: replays, &effects), state: new)
    }
    guard let action else { stopForTransform() }
    perform(action, effects)
  }

  /// Waits until the manager is gone, or the task is cancelled.
  nonisolated func waitForManagersEnd() async {
    let waiter = turn { registry -> WaiterID? in
      guard registry.managed != nil else { return nil }
      let waiter = registry.waiters.add(missing: 1)
      registry.loading.polls.append(waiter)
      return waiter
    }
    guard let waiter else { return }
    await wait(for: waiter) {
      perform { registry, effects in
        registry.loading.polls.removeAll { $0 == waiter }
        registry.waiters.remove(waiter, &effects)
      }
    }
  }
}

extension PublisherRegistry {
  /// Takes the turn of a load's transition, and acts on it.
  private nonisolated func make<Decision, Result>(
    _ step: LoadStep, of task: LoadTask, _ decide: (inout RegistryState, inout Effects) -> Decision?,
    then act: (Decision, borrowing Effects) -> Result
  ) -> StepOutcome<Result> {
    var effects = Effects()
    let outcome = turn { registry in registry.make(step, of: task, &effects, decide) }
    switch outcome {
    case .made(let decision): return .made(act(decision, effects))
    case .changed: return .changed
    case .superseded: return .superseded
    }
  }

  /// Delivers the result of a load, and then resumes its waiters.
  ///
  /// They are resumed in a second turn, after this thread has delivered the result as every publishing thread does. A
  /// caller that hasn't begun to wait yet doesn't wait at all once its result is available.
  private nonisolated func finish(_ end: RegistryState.LoadEnd, _ effects: borrowing Effects) {
    perform(end.action, effects)
    if !end.waiters.isEmpty {
      perform { registry, effects in registry.deliver(end.result, to: end.waiters, &effects) }
    }
  }

  /// Takes one turn in which a caller may end the load.
  ///
  /// Stops the program if that publishes a state while this thread is running a transform, which would run again.
  private nonisolated func rollBackTurn(
    _ body: (inout RegistryState, inout Effects) -> RegistryState.LoadAction?
  ) {
    if loadTurn(body) { stopIfInTransform() }
  }

  /// Takes one turn that may publish a state; returns whether it did.
  @discardableResult
  nonisolated func loadTurn(
    _ body: (inout RegistryState, inout Effects) -> RegistryState.LoadAction?
  ) -> Bool {
    var effects = Effects()
    let action = turn { body(&$0, &effects) }
    perform(action, effects)
    return action != nil
  }

  nonisolated func perform(_ action: RegistryState.LoadAction?, _ effects: borrowing Effects) {
    effects.perform()
    if let action { action.accepted.perform(delivering: action.state) }
  }
}
