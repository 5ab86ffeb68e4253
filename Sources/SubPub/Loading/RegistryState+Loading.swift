/// Beginning and ending loads, each in one step with the publisher's state (5.03 to 5.05).
extension RegistryState {
  /// A state that a load has published, to be delivered outside the turn.
  struct LoadAction {
    let accepted: AcceptAction
    let state: any BoxedPublication
  }

  /// The end of a load.
  struct LoadEnd {
    /// The state that was published; nil if the current state is the result.
    let action: LoadAction?
    let result: any BoxedPublication
    let waiters: [WaiterID]
  }

  /// The outcome of a request to load.
  enum JoinLoadAction {
    /// The active load covers it; the waiter is for callers that wait.
    case joined(WaiterID?)
    /// The request's turn comes when the active load has ended.
    case next(WaiterID)
    /// No load covers it; one can begin from this state.
    case free(PresentState)
    /// The publisher has ended, or the manager is gone.
    case ended
  }

  /// The present state; nil after the publisher's end.
  var present: PresentState? {
    let failure = loading.failure.flatMap { $0.version == newest ? $0 : nil }
    return current.map {
      PresentState(
        current: $0, validity: loading.validity, failure: failure, load: loading.active, edits: loading.edits,
        serverChanges: loading.serverChanges)
    }
  }

  /// The present state for a manager; nil after its end.
  var managed: PresentState? { loading.isManagerGone ? nil : present }

  /// Joins the active load if it covers the request.
  ///
  /// Nobody joins a load that began before the data was invalidated (5.15), but the next page waits even for that one.
  mutating func joinLoad(_ request: LoadRequest, waits: Bool) -> JoinLoadAction {
    guard let present = managed else { return .ended }
    guard let load = loading.active else { return .free(present) }
    let isNext = request.kind == .page && load.kind == .whole && load.replacesData
    guard isNext || (load.covers(request.kind) && !load.isOutdated) else { return .free(present) }
    let waiter = waits ? waiters.add(missing: 1) : nil
    loading.callers.add(waiter, accepting: request.acceptedAge)
    if isNext, let waiter { return .next(waiter) }
    return .joined(waiter)
  }

  /// Begins a load, which may take the place of an active one.
  ///
  /// It then takes over the state to return to, and the callers that don't wait.
  mutating func begin(
    _ new: ActiveLoad, for request: LoadRequest, publishing state: (any BoxedPublication)?, waits: Bool,
    _ effects: inout Effects
  ) -> (action: LoadAction?, waiter: WaiterID?) {
    var new = new
    new.failureBefore = present?.failure
    if let old = loading.active {
      if let before = new.before { effects.release(before) }
      new.before = old.before
      new.failureBefore = old.failureBefore
    }
    let kept = supersedeLoad(&effects)
    let waiter = waits ? waiters.add(missing: 1) : nil
    let action = state.map { publish($0, keepsData: true, &effects) }
    loading.isInUse = true
    loading.active = new
    loading.callers = kept
    loading.callers.add(waiter, accepting: request.acceptedAge)
    return (action, waiter)
  }

  /// Publishes the load's result, and returns its waiters.
  mutating func commit(
    _ result: any BoxedPublication, failure: LoadFailure? = nil, _ effects: inout Effects
  ) -> LoadEnd? {
    guard let (ended, callers) = endLoad(&effects) else { return nil }
    // One more page doesn't make the others valid.
    let isInvalid = ended.isOutdated || (ended.kind == .page && loading.validity.isInvalidated)
    let action = publish(result, keepsData: failure != nil, &effects)
    if isInvalid { loading.validity.isInvalidated = true }
    if failure == nil {
      loading.serverChanges += 1
      loading.isCacheInvalidated = isInvalid
    }
    loading.failure = failure
    loading.failure?.version = newest
    loading.failure?.isOutdated = ended.isOutdated
    return LoadEnd(action: action, result: result, waiters: callers.waiters)
  }

  /// Ends a load whose result isn't taken; `loaded` is published unless the state is `loaded` (5.18).
  mutating func confirm(
    _ loaded: any BoxedPublication, since time: Duration?, _ effects: inout Effects
  ) -> LoadEnd? {
    guard let current, let (ended, callers) = endLoad(&effects) else { return nil }
    let action = current.isLoaded ? nil : publish(loaded, keepsData: true, &effects)
    if action == nil { effects.release(loaded) }
    loading.validity = DataValidity(
      isInvalidated: ended.isOutdated, confirmation: DataValidity.Confirmation(time: time))
    loading.serverChanges += 1
    loading.isCacheInvalidated = ended.isOutdated
    return LoadEnd(action: action, result: action?.state ?? current, waiters: callers.waiters)
  }

  /// The outcome of finding a value in the cache.
  enum CachedAction {
    /// The value is the load's result.
    case isResult(LoadEnd)
    /// The value was published, and the load goes on.
    case published(LoadAction)
  }

  /// Publishes a cached value; ends the load if the value is fresh enough for all callers (5.11).
  ///
  /// Otherwise, `before` is the state to return to from now on.
  mutating func acceptCached(
    _ found: any BoxedPublication, age: Duration, before: any BoxedPublication, _ effects: inout Effects
  ) -> CachedAction? {
    guard let load = loading.active else { return nil }
    let isInvalid = loading.isCacheInvalidated || load.isOutdated || age >= .unlimited
    if !isInvalid, loading.callers.accept(age) {
      effects.release(before)
      return commit(found, &effects).map(CachedAction.isResult)
    }
    if let old = load.before { effects.release(old) }
    loading.active?.before = before
    loading.active?.failureBefore = nil
    loading.active?.replacesData = true
    let action = LoadAction(accepted: acceptKeepingLoad(found, keepsData: false, &effects), state: found)
    loading.validity.isInvalidated = isInvalid
    return .published(action)
  }

  /// Accepts a state that neither supersedes the active load nor drops the edits.
  mutating func acceptKeepingLoad(
    _ state: any BoxedPublication, keepsData: Bool = true, _ effects: inout Effects
  ) -> AcceptAction {
    // Taken out for the moment, because `accept` ends the load that it finds.
    let (kept, failure) = (loading.active.take(), keepsData ? present?.failure : nil)
    defer {
      loading.active = kept
      if failure != nil { loading.failure?.version = newest }
    }
    return acceptKeepingEdits(state, keepsData: keepsData, &effects)
  }

  /// Accepts a state that isn't a transition by hand, so that pending edits stay.
  private mutating func acceptKeepingEdits(
    _ state: any BoxedPublication, keepsData: Bool, _ effects: inout Effects
  ) -> AcceptAction {
    // Taken out for the moment, because `accept` drops the edits that it finds.
    let kept = loading.edits.take()
    defer { loading.edits = kept }
    return accept(state, replays: true, keepsData: keepsData, &effects)
  }

  /// Ends the active load, and returns it with its callers.
  mutating func endLoad(_ effects: inout Effects) -> (load: ActiveLoad, callers: LoadCallers)? {
    guard let ended = loading.active.take() else { return nil }
    if let before = ended.before { effects.release(before) }
    defer { loading.callers = LoadCallers() }
    return (ended, loading.callers)
  }

  mutating func publish(
    _ state: any BoxedPublication, keepsData: Bool, _ effects: inout Effects
  ) -> LoadAction {
    LoadAction(accepted: acceptKeepingEdits(state, keepsData: keepsData, &effects), state: state)
  }
}

/// Waiters, and loads that end without a result.
extension RegistryState {
  /// Gives the result to waiters that weren't cancelled in the meantime.
  mutating func deliver(_ result: any BoxedPublication, to loadWaiters: [WaiterID], _ effects: inout Effects) {
    for waiter in loadWaiters where waiters.contains(waiter) {
      loading.results[waiter] = result
      waiters.arrive(waiter, &effects)
    }
  }

  /// Removes a cancelled waiter; if it was the last, rolls back the load (5.05).
  mutating func cancelLoadWaiter(_ waiter: WaiterID, _ effects: inout Effects) -> LoadAction? {
    guard loading.callers.remove(waiter), loading.callers.isEmpty else { return nil }
    return rollBackLoad(&effects)
  }

  /// Ends the load, and publishes the state from before it if the load has published anything.
  mutating func rollBackLoad(_ effects: inout Effects) -> LoadAction? {
    guard let load = loading.active else { return nil }
    supersedeLoad(&effects)
    guard let before = load.before else { return nil }
    let action = publish(before, keepsData: true, &effects)
    loading.failure = load.failureBefore
    loading.failure?.version = newest
    return action
  }

  /// Ends the load and drops the edits before a transition, and forgets what belongs to the data unless the new state
  /// keeps it.
  mutating func leaveState(keepingData: Bool, _ effects: inout Effects) {
    supersedeLoad(&effects)
    replaceEdits(nil, &effects)
    if !keepingData { loading.validity = DataValidity() }
  }

  /// Ends the load because of another transition; its waiters return the current state.
  ///
  /// Returns the callers that don't wait.
  @discardableResult
  mutating func supersedeLoad(_ effects: inout Effects) -> LoadCallers {
    guard let (ended, callers) = endLoad(&effects) else { return LoadCallers() }
    effects.call { [task = ended.task] in task.cancel() }
    for waiter in callers.waiters { waiters.arrive(waiter, &effects) }
    return callers.withoutWaiters
  }

  /// Makes the present data stale, and the result of a load that has already begun (5.15).
  mutating func invalidate() {
    loading.isInUse = true
    loading.validity.isInvalidated = true
    loading.isCacheInvalidated = true
    loading.serverChanges += 1
    loading.active?.isOutdated = true
    loading.active?.failureBefore?.isOutdated = true
    loading.failure?.isOutdated = true
  }

  /// Ends the load and the polls, because the manager is gone (5.09).
  mutating func endManager(_ effects: inout Effects) -> LoadAction? {
    loading.isManagerGone = true
    for poll in loading.polls { waiters.remove(poll, &effects) }
    loading.polls = []
    return rollBackLoad(&effects)
  }
}
