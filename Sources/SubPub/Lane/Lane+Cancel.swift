extension Lane {
  /// A replaced subscription, elsewhere, has a delivery under way: until it has ended nothing is delivered here.
  mutating func hold() {
    predecessors += 1
    if !runner.signal.isScheduled, !runner.signal.noteMore() { runner.signal.schedule() }
  }

  /// The subscription's gate was closed, and this is what it found.
  package mutating func cancel(
    _ subscription: Subscription, found: DeliveryGate.Reading, _ after: inout AfterTurn
  ) {
    remove(subscription, found: found, &after)
    tidy(&after)
  }

  /// Its closure goes now, or when the delivery that is under way has ended.
  private mutating func remove(
    _ subscription: Subscription, found: DeliveryGate.Reading, _ after: inout AfterTurn
  ) {
    forget(subscription)
    if found.isUnderWay, runner.signal.raise() {
      retiring.append(subscription.slot)
    } else {
      vacate(subscription.slot, &after)
    }
  }

  /// After entries went, outside a drain's own turns: lets go of what they alone kept.
  mutating func tidy(_ after: inout AfterTurn) {
    if var batch = parked.take() {
      trim(&batch, nobodyDrains: true, &after)
      if !isAwaited(&batch), let item = batch.current.take() { after.release(item.state) }
      // With nobody left there is no window to come back to.
      if active > 0 { parked = batch }
    } else {
      // A drain has states in hand: it looks itself.
      let drains = runner.signal.raise()
      var none = Batch()
      trim(&none, nobodyDrains: !drains, &after)
    }
    noteDeparted()
    if active == 0, let reader = reader.take() { after.resume(reader) }
    if runner.signal.isIdle || (runner.signal.isScheduled && parked == nil) { compact() }
  }

  /// Everyone's end: the publisher's, when nothing is left to deliver, or the context's.
  mutating func close(_ after: inout AfterTurn) {
    for index in 0..<entries.count {
      let subscription = entries[index]
      if let found = subscription.gate.close(at: runner.newest) { remove(subscription, found: found, &after) }
    }
    tidy(&after)
  }

  /// Drops pending states that none of the remaining entries is to get (rule 3.05). `nobodyDrains` but the caller.
  mutating func trim(_ batch: inout Batch, nobodyDrains: Bool, _ after: inout AfterTurn) {
    firsts.pass(entries)
    demand.first(unbounded: entries.at(firsts.unbounded), oldest: entries.at(firsts.oldest))
    if nobodyDrains, hasLostWindow { lowerFullAt() }
    if !batch.queue.isEmpty, !demand.takesAll(from: batch.queue.ordinal(at: 0)) { requeue(&batch) }
    if !batch.queue.isEmpty || !pending.isEmpty {
      // Entries are in the order of joining, so nobody who is left joined before the first.
      let served = active == 0 ? .max : entries[firsts.active].joinedAfter
      Self.drop(from: &batch.queue, upTo: served, for: entries, &after)
      Self.drop(from: &pending, upTo: served, for: entries, &after)
    }
    demand.trim(&pending, fullAt: runner.fullAt, &after)
  }

  private static func drop(
    from queue: inout ItemQueue, upTo served: UInt64, for entries: EntryList, _ after: inout AfterTurn
  ) {
    while let first = queue.first, first.ordinal <= served || !isAwaited(&queue, by: entries) {
      if let item = queue.popFirst() { after.release(item.state) }
    }
  }

  /// After the `oldest` subscription went whose window reached farthest: the next one's counts. Many have the same, and
  /// then the first look finds it.
  private mutating func lowerFullAt() {
    var next: UInt64 = 0
    for index in firsts.oldest..<entries.count where next < runner.fullAt {
      let subscription = entries[index]
      guard let bounds = subscription.bounds, bounds.rule == .oldest, subscription.gate.closedAt == nil else {
        continue
      }
      next = max(next, bounds.fullAt)
    }
    runner.setFullAt(to: next)
    hasLostWindow = false
  }

  /// Whether one of the newcomers that a replay is for is still there. Moves on to the first that is.
  private static func isAwaited(_ queue: inout ItemQueue, by entries: EntryList) -> Bool {
    guard queue.firstIsFrom > 0 else { return true }
    while queue.firstIsFrom < entries.count, entries[queue.firstIsFrom].gate.closedAt != nil { queue.firstIsFrom += 1 }
    return queue.firstIsFrom < entries.count
  }

  /// Whether somebody is still to be visited in the round that was put aside. Moves on to the first who is.
  private func isAwaited(_ batch: inout Batch) -> Bool {
    guard let window = batch.window, batch.current != nil else { return false }
    while batch.next < window.count, entries[batch.next].gate.closedAt != nil { batch.next += 1 }
    return batch.next < window.count
  }

  /// No unbounded subscription is left for what a drain has in hand: it is pending again, so that bounds apply to it.
  private mutating func requeue(_ batch: inout Batch) {
    var all = ItemQueue()
    swap(&all, &batch.queue)
    // A replay among what came later is for newcomers; the same state in hand comes to them too.
    if pending.first?.ordinal == all.last?.ordinal { _ = pending.popFirst() }
    while let item = pending.popFirst() { all.append(item) }
    pending = all
  }
}
