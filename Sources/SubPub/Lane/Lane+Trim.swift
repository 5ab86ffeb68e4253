/// What goes when entries went: states that nobody is left to get (rule 3.05).
extension Lane {
  /// Drops states that none of the remaining entries is to get (rule 3.05), from what is pending and from what the
  /// caller's drain has in hand. Nobody else drains.
  mutating func trim(_ batch: inout Batch, _ after: inout AfterTurn) {
    noteFirsts(nobodyDrains: true)
    if !batch.queue.isEmpty, !demand.takesAll(from: batch.queue.ordinal(at: 0)) { requeue(&batch) }
    if !batch.queue.isEmpty { Self.drop(from: &batch.queue, upTo: settledUpTo, for: entries, &after) }
    trimPending(nobodyDrains: true, &after)
  }

  /// The same, where nothing is in the caller's hand. `nobodyDrains` but the caller.
  mutating func trim(nobodyDrains: Bool, _ after: inout AfterTurn) {
    noteFirsts(nobodyDrains: nobodyDrains)
    trimPending(nobodyDrains: nobodyDrains, &after)
  }

  private mutating func noteFirsts(nobodyDrains: Bool) {
    firsts.pass(entries)
    if demand.first(unbounded: entries.at(firsts.unbounded), oldest: entries.at(firsts.oldest)) { hasLostTaker = true }
    if nobodyDrains, hasLostWindow { lowerFullAt() }
  }

  private mutating func trimPending(nobodyDrains: Bool, _ after: inout AfterTurn) {
    if !pending.isEmpty { Self.drop(from: &pending, upTo: settledUpTo, for: entries, &after) }
    if nobodyDrains, hasLostTaker { dropReplaced(&after) }
    if pending.count > 1 { demand.trim(&pending, fullAt: runner.fullAt, &after) }
  }

  /// What nobody who is left joined early enough for. Entries are in the order of joining.
  private var settledUpTo: UInt64 { active == 0 ? .max : entries[firsts.active].joinedAfter }

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
    if next < runner.fullAt { hasLostTaker = true }
    runner.setFullAt(to: next)
    hasLostWindow = false
  }

  /// After one went that took everything, or more than the others: drops what the `oldest` subscriptions have replaced
  /// meanwhile. Looks at all of them; each time, somebody was the last of a kind.
  private mutating func dropReplaced(_ after: inout AfterTurn) {
    hasLostTaker = false
    guard !pending.isEmpty else { return }
    var waiting: Set<UInt64> = []
    for index in firsts.oldest..<entries.count where entries[index].gate.closedAt == nil {
      if let bounds = entries[index].bounds { waiting.formUnion(bounds.waiting(at: runner.newest)) }
    }
    demand.trim(&pending, waiting: waiting, &after)
  }

  /// Whether one of the newcomers that a replay is for is still there. Moves on to the first that is.
  private static func isAwaited(_ queue: inout ItemQueue, by entries: EntryList) -> Bool {
    guard queue.firstIsFrom > 0 else { return true }
    while queue.firstIsFrom < entries.count, entries[queue.firstIsFrom].gate.closedAt != nil { queue.firstIsFrom += 1 }
    return queue.firstIsFrom < entries.count
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
