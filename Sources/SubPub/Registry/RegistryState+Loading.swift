/// Loads (rules 5.03 to 5.05): to join, to begin, to end and to go back are each one step, as the publisher's state is.
extension RegistryState {
  /// A state that was accepted, and what has to be done for it outside the turn.
  struct Shown {
    let accepted: Accepted
    let state: any Stamped
  }

  /// What there is for who wants to load.
  enum Found {
    /// A load that is under way does. The waiter, for those who wait.
    case joined(WaiterID?)
    /// No load that does: the current state, in which one can begin.
    case free(any Stamped)
  }

  /// Joins the load under way, if it serves who wants that.
  mutating func joinLoad(_ wanted: LoadUnderWay.Kind, waits: Bool) -> Found? {
    guard load?.serves(wanted) == true else { return current.map(Found.free) }
    let waiter = waits ? waiters.add(missing: 1) : nil
    load?.add(waiter)
    return .joined(waiter)
  }

  /// Begins a load, for somebody who waits or doesn't. What another load went back to, this one goes back to, and who
  /// wanted that one without waiting wants this one.
  mutating func begin(
    _ new: LoadUnderWay, showing loading: any Stamped, waits: Bool, _ after: inout AfterTurn
  ) -> (shown: Shown, waiter: WaiterID?) {
    var new = new
    if let load {
      after.release(new.before)
      new.before = load.before
      if load.isKept { new.add(nil) }
    }
    let waiter = waits ? waiters.add(missing: 1) : nil
    new.add(waiter)
    let shown = show(loading, &after)
    load = new
    return (shown, waiter)
  }

  /// The load goes on, and shows something else meanwhile. Nil when it has ended.
  mutating func advance(
    _ load: Load, to state: any Stamped, before: (any Stamped)?, _ after: inout AfterTurn
  ) -> Shown? {
    guard let mine = self.load, mine.load === load else { return nil }
    if let before {
      after.release(mine.before)
      self.load?.before = before
    }
    return Shown(accepted: acceptWithinLoad(state, replays: true, &after), state: state)
  }

  /// Accepts a state that doesn't end the load under way, if there is one.
  mutating func acceptWithinLoad(_ state: any Stamped, replays: Bool, _ after: inout AfterTurn) -> Accepted {
    let kept = load.take()
    defer { load = kept }
    return accept(state, replays: replays, &after)
  }

  /// The load has a result. Hands out who waits for it; nil when the load was superseded, and the result is dropped (rule
  /// 5.04).
  mutating func commit(
    _ load: Load, _ result: any Stamped, _ after: inout AfterTurn
  ) -> (shown: Shown, waiters: [WaiterID])? {
    guard let ended = self.load, ended.load === load else { return nil }
    after.release(ended.before)
    self.load = nil
    return (show(result, &after), ended.waiters)
  }

  /// Those who wait for a load get its result, unless they have been cancelled meanwhile.
  mutating func deliver(_ result: any Stamped, to loadWaiters: [WaiterID], _ after: inout AfterTurn) {
    for waiter in loadWaiters where waiters.contains(waiter) {
      results[waiter] = result
      waiters.arrive(waiter, &after)
    }
  }

  /// A waiter gives up. When it was the last, the load ends, and the state before it comes back (rule 5.05).
  mutating func leaveLoad(_ waiter: WaiterID, _ after: inout AfterTurn) -> Shown? {
    guard load?.remove(waiter) == true else { return nil }
    return load?.isUnwanted == true ? abandonLoad(&after) : nil
  }

  /// Nobody wants the load any more.
  mutating func abandonLoad(_ after: inout AfterTurn) -> Shown? {
    guard let load else { return nil }
    return show(load.before, &after)
  }

  /// A transition has come that is neither the load's own nor a repetition. Who waits finds the current state.
  mutating func supersedeLoad(_ after: inout AfterTurn) {
    guard let ended = load.take() else { return }
    after.call { [load = ended.load] in load.cancel() }
    after.release(ended.before)
    for waiter in ended.waiters { waiters.arrive(waiter, &after) }
  }

  /// Something is to be done with the cache, in the order of turns.
  func plan(_ operation: CacheOperation?, _ after: inout AfterTurn) {
    guard let operation else { return }
    let needless = operation.queue.append(operation.operation)
    if !needless.isEmpty { after.releaseAll(in: needless) }
  }

  private mutating func show(_ state: any Stamped, _ after: inout AfterTurn) -> Shown {
    Shown(accepted: accept(state, replays: true, &after), state: state)
  }
}
