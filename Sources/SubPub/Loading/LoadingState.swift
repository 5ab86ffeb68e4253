/// What a registry knows of its manager's load.
struct LoadingState {
  /// Nil while nothing loads, and once another transition has superseded the load.
  var active: ActiveLoad?
  /// The results of loads that have ended, for waiters that haven't fetched them yet.
  var results: [WaiterID: any BoxedPublication] = [:]
}

/// A manager's load: who waits for it, and what to return to.
///
/// There is at most one at a publisher. Every transition but its own and `republish()` supersedes it (5.04).
struct ActiveLoad {
  enum Kind: Sendable {
    /// All of the data, or its first page.
    case whole
    /// One more page.
    case page
  }

  let task: LoadTask
  let kind: Kind
  /// The state before the load, in a publication that isn't stamped yet. Published when the last waiter is cancelled
  /// (5.05).
  var before: any BoxedPublication
  private(set) var waiters: [WaiterID] = []
  /// Somebody wants it who can't be cancelled.
  private(set) var isKept = false

  init(_ task: LoadTask, _ kind: Kind, before: any BoxedPublication) {
    self.task = task
    self.kind = kind
    self.before = before
  }

  /// Whether nobody wants it any more.
  var isUnwanted: Bool { waiters.isEmpty && !isKept }

  /// Whether it covers the requested kind. If there are no pages yet, the first page is the next one.
  func covers(_ requested: Kind) -> Bool { kind == requested || requested == .page }

  /// Adds a waiter. Nil stands for somebody who doesn't wait, and can't be cancelled.
  mutating func add(_ waiter: WaiterID?) {
    if let waiter { waiters.append(waiter) } else { isKept = true }
  }

  /// False if it isn't one of the waiters.
  mutating func remove(_ waiter: WaiterID) -> Bool {
    guard let index = waiters.firstIndex(of: waiter) else { return false }
    waiters.remove(at: index)
    return true
  }
}

/// Joining, beginning, ending and rolling back a load are one step each with the publisher's state (5.03 to 5.05).
extension RegistryState {
  /// A state that a load has published, to be delivered outside the turn.
  struct LoadAction {
    let accepted: AcceptAction
    let state: any BoxedPublication
  }

  /// What a request to load has found.
  enum JoinLoadAction {
    /// The active load covers it. The waiter, for callers that wait.
    case joined(WaiterID?)
    /// No load covers it. The current state, from which one can begin.
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

  /// Begins a load. It takes the place of an active one: the state to return to and the callers that don't wait are carried
  /// over.
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

  /// Publishes another state while the load goes on. Nil if the load has ended.
  ///
  /// - Parameter before: What to return to from now on.
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

  /// The load has a result. Returns the waiters, or nil if the load was superseded and the result is dropped (5.04).
  mutating func commit(
    _ result: any BoxedPublication, of task: LoadTask, _ effects: inout Effects
  ) -> (action: LoadAction, waiters: [WaiterID])? {
    guard let ended = loading.active, ended.task === task else { return nil }
    effects.release(ended.before)
    loading.active = nil
    return (publish(result, &effects), ended.waiters)
  }

  /// Gives waiters the result, unless they were cancelled meanwhile.
  mutating func deliver(_ result: any BoxedPublication, to loadWaiters: [WaiterID], _ effects: inout Effects) {
    for waiter in loadWaiters where waiters.contains(waiter) {
      loading.results[waiter] = result
      waiters.arrive(waiter, &effects)
    }
  }

  /// A waiter is cancelled. If it was the last, the load ends, and the state before it is published (5.05).
  mutating func cancelLoadWaiter(_ waiter: WaiterID, _ effects: inout Effects) -> LoadAction? {
    guard loading.active?.remove(waiter) == true, loading.active?.isUnwanted == true else { return nil }
    return rollBackLoad(&effects)
  }

  /// Ends the load and publishes the state before it.
  mutating func rollBackLoad(_ effects: inout Effects) -> LoadAction? {
    guard let load = loading.active else { return nil }
    return publish(load.before, &effects)
  }

  /// A transition has come that isn't the load's own. Its waiters return the current state.
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
