/// The turns of a drain.
extension Lane {
  /// The lane was woken. False: there is nothing to do.
  package mutating func resume(_ batch: inout Batch, _ after: inout AfterTurn) -> Bool {
    guard runner.signal.isScheduled else { return false }
    runner.signal.drain()
    if let parked = parked.take() {
      batch = parked
      settle(&batch, &after)
      return true
    }
    return next(&batch, &after)
  }

  /// The batch is served, and its window back. False: nothing is left to do, and the lane rests.
  package mutating func next(_ batch: inout Batch, _ after: inout AfterTurn) -> Bool {
    batch.window = nil
    settle(&batch, &after)
    compact()
    admitSuccessors(&after)
    guard !pending.isEmpty else {
      pending.recycle(&batch.queue)
      runner.signal.rest()
      return false
    }
    runner.signal.drain()
    noteAwaited()
    if demand.takesAll(from: pending.ordinal(at: 0)) {
      swap(&batch.queue, &pending)
    } else {
      // One at a time: what is overtaken meanwhile, and has no unbounded subscription to wait for it, goes at once.
      let first = pending.firstIsFrom
      if let item = pending.popFirst() { batch.queue.append(item) }
      batch.queue.firstIsFrom = first
    }
    batch.window = entries.window
    return batch.startRound()
  }

  /// The budget is used up: the rest is put aside until the lane is woken again.
  package mutating func handBack(_ batch: inout Batch, _ after: inout AfterTurn) {
    settle(&batch, &after)
    parked = batch
    batch = Batch()
    runner.signal.schedule()
    after.wake(runner)
  }

  /// Takes care of what was asked for since: closures of cancelled and dead entries, states that nobody waits for.
  package mutating func settle(_ batch: inout Batch, _ after: inout AfterTurn) {
    runner.signal.clearRequests()
    for index in batch.dead where entries[index].gate.close(at: runner.newest) != nil {
      forget(entries[index])
      vacate(index, &after)
    }
    batch.dead.removeAll()
    for index in retiring where !entries[index].gate.reading.isUnderWay { vacate(index, &after) }
    retiring.removeAll { !entries[$0].gate.reading.isUnderWay }
    if !retiring.isEmpty { _ = runner.signal.raise() }
    trim(&batch, &after)
    noteDeparted()
    noteServed(but: batch)
    noteAwaited()
  }

  /// The entry is not to be counted any more.
  mutating func forget(_ subscription: Subscription) {
    subscription.noteBacklog(after: subscription.position(at: subscription.gate.reading), newest: runner.newest)
    active -= 1
    demand.remove(subscription)
    if let bounds = subscription.bounds, bounds.rule == .oldest, bounds.fullAt >= runner.fullAt { hasLostWindow = true }
  }

  func vacate(_ index: Int, _ after: inout AfterTurn) {
    // The end of the delivery that was under way has wiped the cancel's mark: nothing is to pass it again.
    _ = entries[index].gate.mark()
    if let callback = entries.vacate(index) { after.release(callback) }
  }

  /// Only while no window is out.
  mutating func compact() {
    entries.compact { new in
      pending.firstIsFrom = new(pending.firstIsFrom)
      firsts.move(new)
      for index in waits.indices { waits[index].limit = new(waits[index].limit) }
    }
  }
}
