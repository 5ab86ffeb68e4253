/// The state of a manager's load, as its registry knows it.
struct LoadingState {
  /// The active load; nil while nothing is loading, and once another transition has superseded the load.
  var active: ActiveLoad?
  /// The results of loads that have ended, for waiters that haven't fetched them yet.
  var results: [WaiterID: any BoxedPublication] = [:]
}

/// A manager's load, with its waiters and the state to return to.
///
/// A publisher has at most one. Every transition except its own and `republish()` supersedes it (5.04).
struct ActiveLoad {
  enum Kind: Sendable {
    /// All of the data, or its first page.
    case whole
    /// One more page.
    case page
  }

  let task: LoadTask
  let kind: Kind
  /// The state before the load, in a publication that has no version yet.
  ///
  /// It is published when the last waiter is cancelled (5.05).
  var before: any BoxedPublication
  private(set) var waiters: [WaiterID] = []
  /// Whether there is a caller that can't be cancelled.
  private(set) var isKept = false

  init(_ task: LoadTask, _ kind: Kind, before: any BoxedPublication) {
    self.task = task
    self.kind = kind
    self.before = before
  }

  /// Whether nothing needs the load any longer.
  var isUnwanted: Bool { waiters.isEmpty && !isKept }

  /// Returns whether the load covers the requested kind.
  ///
  /// If there are no pages yet, the first page is the next one.
  func covers(_ requested: Kind) -> Bool { kind == requested || requested == .page }

  /// Adds a waiter; nil stands for a caller that doesn't wait and can't be cancelled.
  mutating func add(_ waiter: WaiterID?) {
    if let waiter { waiters.append(waiter) } else { isKept = true }
  }

  /// Removes a waiter; returns false if it isn't one of the load's.
  mutating func remove(_ waiter: WaiterID) -> Bool {
    guard let index = waiters.firstIndex(of: waiter) else { return false }
    waiters.remove(at: index)
    return true
  }
}

/// The changes of a load, each of which is one step with the publisher's state (5.03 to 5.05).
extension RegistryState {
  /// A state that a load has published, to be delivered outside the turn.
  struct LoadAction {
    let accepted: AcceptAction
    let state: any BoxedPublication
  }

  /// The outcome of a request to load.
  enum JoinLoadAction {
    /// The active load covers it; the waiter is for callers that wait.
    case joined(WaiterID?)
    /// No load covers it; one can begin from this current state.
    case free(any BoxedPublication)
    /// The publisher has ended.
    case ended
  }

  /// Joins the active load if it covers the requested kind.
  mutating func joinLoad(_ requested: ActiveLoad.Kind, waits: Bool) -> JoinLoadAction {
    guard loading.active?.covers(requested) == true else { return current.map(JoinLoadAction.free) ?? .ended }
    let waiter = waits ? waiters.add(missing: 1) : nil
    loading.active?.add(waiter)
    return .joined(waiter)
  }

  /// Begins a load, which may take the place of an active one.
  ///
  /// It then takes over the state to return to, and the callers that don't wait.
  mutating func begin(
    _ new: ActiveLoad, publishing state: any BoxedPublication, waits: Bool, _ effects: inout Effects
  ) -> (action: LoadAction, waiter: WaiterID?) {
    var new = new
    if let old = loading.active {
      effects.release(new.before)
      new.before = old.before
      if old.isKept { new.add(nil) }
    }
    let waiter = waits ? waiters.add(missing: 1) : nil
    new.add(waiter)
    let action = publish(state, &effects)
    loading.active = new
    return (action, waiter)
  }

  /// Publishes another state while the load continues; returns nil if the load has ended.
  ///
  /// `before` is the state to return to from now on.
  mutating func publish(
    _ state: any BoxedPublication, within task: LoadTask, before: (any BoxedPublication)?, _ effects: inout Effects
  ) -> LoadAction? {
    guard let load = loading.active, load.task === task else { return nil }
    if let before {
      effects.release(load.before)
      loading.active?.before = before
    }
    return LoadAction(accepted: acceptKeepingLoad(state, &effects), state: state)
  }

  /// Accepts a state that doesn't supersede the active load.
  mutating func acceptKeepingLoad(_ state: any BoxedPublication, _ effects: inout Effects) -> AcceptAction {
    let kept = loading.active.take()
    defer { loading.active = kept }
    return accept(state, replays: true, &effects)
  }

  /// Publishes the load's result, and returns its waiters.
  ///
  /// Returns nil if the load was superseded: the result is dropped (5.04).
  mutating func commit(
    _ result: any BoxedPublication, of task: LoadTask, _ effects: inout Effects
  ) -> (action: LoadAction, waiters: [WaiterID])? {
    guard let ended = loading.active, ended.task === task else { return nil }
    effects.release(ended.before)
    loading.active = nil
    return (publish(result, &effects), ended.waiters)
  }

  /// Gives the result to waiters that weren't cancelled in the meantime.
  mutating func deliver(_ result: any BoxedPublication, to loadWaiters: [WaiterID], _ effects: inout Effects) {
    for waiter in loadWaiters where waiters.contains(waiter) {
      loading.results[waiter] = result
      waiters.arrive(waiter, &effects)
    }
  }

  /// Removes a cancelled waiter; if it was the last, rolls back the load (5.05).
  mutating func cancelLoadWaiter(_ waiter: WaiterID, _ effects: inout Effects) -> LoadAction? {
    guard loading.active?.remove(waiter) == true, loading.active?.isUnwanted == true else { return nil }
    return rollBackLoad(&effects)
  }

  /// Ends the load and publishes the state from before it.
  mutating func rollBackLoad(_ effects: inout Effects) -> LoadAction? {
    guard let load = loading.active else { return nil }
    return publish(load.before, &effects)
  }

  /// Ends the load because of another transition; its waiters return the current state.
  mutating func supersedeLoad(_ effects: inout Effects) {
    guard let ended = loading.active.take() else { return }
    effects.call { [task = ended.task] in task.cancel() }
    effects.release(ended.before)
    for waiter in ended.waiters { waiters.arrive(waiter, &effects) }
  }

  /// Appends an operation to the cache's queue, in the order of turns.
  func enqueue(_ operation: CacheOperation?, _ effects: inout Effects) {
    guard let operation else { return }
    let obsolete = operation.queue.append(operation.operation)
    if !obsolete.isEmpty { effects.releaseAll(in: obsolete) }
  }

  private mutating func publish(_ state: any BoxedPublication, _ effects: inout Effects) -> LoadAction {
    LoadAction(accepted: accept(state, replays: true, &effects), state: state)
  }
}
