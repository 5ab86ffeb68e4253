/// Polls (5.17).
extension ManagerDriver where Machine == LoadMachine<Value> {
  /// Refreshes again and again, with pauses between the end of a load and the start of the next.
  ///
  /// `pause` returns how long one is, given the state that a load has left; nil ends the poll. A pause begins anew when
  /// another load ends, whoever has asked for that.
  func poll(
    pausingWithoutListeners: Bool, endingAtLogout: Bool, pause: (LoadState<Value>) -> Duration?,
    while condition: (LoadState<Value>) -> Bool = { _ in true }
  ) async {
    measureAges()
    let demand = pausingWithoutListeners ? Demand() : nil
    if let demand { watch(demand) }
    defer { if let demand { registry.removeNotice(for: ObjectIdentifier(demand)) } }
    let logouts = endingAtLogout ? find { machine, _ in machine.polls.logouts } : nil
    // The first load is due at once. No state outlives the call that it is passed to.
    var start: Duration?
    while !Task.isCancelled {
      guard await waitUntilDue(since: start, pause, demand, ifLogoutsAre: logouts) else { return }
      guard state(ifLogoutsAre: logouts).map(condition) ?? false else { return }
      _ = await load(ifLogoutsAre: logouts)
      start = freshSince()
    }
  }

  /// Does the same with pauses of equal length.
  func poll(
    every interval: Duration, pausingWithoutListeners: Bool, endingAtLogout: Bool,
    while condition: (LoadState<Value>) -> Bool
  ) async {
    stopUnlessPositive(interval)
    await poll(
      pausingWithoutListeners: pausingWithoutListeners, endingAtLogout: endingAtLogout, pause: { _ in interval },
      while: condition)
  }

  private func stopUnlessPositive(_ interval: Duration) {
    guard interval > .zero else {
      stopForMisuse("the interval is \(interval), so there would be no pause between two loads: give more than zero")
    }
  }

  /// The present state; nil after the end of the manager or its publisher, and after another logout.
  private func state(ifLogoutsAre logouts: Int?) -> LoadState<Value>? {
    find { machine, present in
      machine.isOver || logouts ?? machine.polls.logouts != machine.polls.logouts ? nil : present.state
    }
  }

  /// Waits until the pause since the last load is over, and somebody listens; returns false if the poll has ended.
  ///
  /// Another load may end meanwhile: then the pause begins anew with that. Without a start, nothing was loaded yet.
  private func waitUntilDue(
    since start: Duration?, _ pause: (LoadState<Value>) -> Duration?, _ demand: Demand?, ifLogoutsAre logouts: Int?
  ) async -> Bool {
    var (start, end) = (start, find { machine, _ in machine.polls.lastEnd })
    while true {
      if let start {
        guard let interval = state(ifLogoutsAre: logouts).flatMap(pause) else { return false }
        stopUnlessPositive(interval)
        // If the clock was set back, the load has ended in the future.
        let rest = interval - (freshness?.age(since: start) ?? .zero)
        if rest > .zero { guard await self.pause(for: rest, ifLogoutsAre: logouts) else { return false } }
      }
      if let demand { await waitForListeners(demand, ifLogoutsAre: logouts) }
      let latest = find { machine, _ in machine.polls.lastEnd }
      if latest == end { return true }
      (start, end) = (latest ?? start, latest)
    }
  }

  /// Waits for so long; returns false if the poll's task is cancelled, or the poll has ended.
  private func pause(for rest: Duration, ifLogoutsAre logouts: Int?) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { [limit] in await limit.pause(for: rest) }
      group.addTask { [self] in
        await waitForEnd(ifLogoutsAre: logouts)
        return false
      }
      let goesOn = await group.next() ?? false
      group.cancelAll()
      return goesOn
    }
  }

  /// Waits until the poll has ended; with a demand, also until somebody listens.
  private func waitForEnd(ifLogoutsAre logouts: Int?, or demand: Demand? = nil) async {
    var waiter: WaiterID?
    decideInTurn { machine, _, turn, _ in
      guard !machine.isOver, logouts ?? machine.polls.logouts == machine.polls.logouts else { return Step() }
      let new = turn.waiters.add(missing: 1)
      machine.polls.pausing[new] = logouts != nil
      waiter = new
      return Step()
    }
    guard let waiter else { return }
    if let demand { resume(demand, with: waiter) }
    let end: @Sendable (inout Machine, Present) -> Step = { machine, _ in
      machine.polls.pausing[waiter] = nil
      return Step()
    }
    await wait(for: waiter, onCancel: end)
    decide { end(&$0, $1) }
  }
}

/// Identifies a poll's notice of listeners, and knows how to resume the poll.
private final class Demand: Sendable {
  /// The waiter of the poll while it waits for a listener.
  let waiter = Locked<WaiterID?>(nil)
}

/// Waiting for listeners.
extension ManagerDriver where Machine == LoadMachine<Value> {
  private func watch(_ demand: Demand) {
    // The subscriptions of directories don't count, because they listen to everything.
    registry.addNotice(for: ObjectIdentifier(demand), countingParts: false) { [weak self, weak demand] in
      if let self, let demand { resume(demand) }
    }
  }

  /// Returns when somebody listens, or the poll has ended.
  private func waitForListeners(_ demand: Demand, ifLogoutsAre logouts: Int?) async {
    while !Task.isCancelled, state(ifLogoutsAre: logouts) != nil {
      // Subscribers that have died unnoticed don't listen any more: counting finds them.
      _ = registry.subscriptions
      if registry.isListenedTo(for: ObjectIdentifier(demand)) { return }
      await waitForEnd(ifLogoutsAre: logouts, or: demand)
      demand.waiter.withLock { $0 = nil }
    }
  }

  /// Resumes the poll if somebody listens by now; `waiter` is that of a poll that begins to wait.
  private func resume(_ demand: Demand, with new: WaiterID? = nil) {
    if let new { demand.waiter.withLock { $0 = new } }
    guard registry.isListenedTo(for: ObjectIdentifier(demand)), let waiter = demand.waiter.withLock({ $0 }) else {
      return
    }
    registry.perform { turn, effects in effects.resume(turn.waiters.remove(waiter)) }
  }
}
