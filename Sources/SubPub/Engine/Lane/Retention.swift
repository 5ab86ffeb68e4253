/// The pending states that a lane has to keep, according to its subscriptions' buffering policies.
struct Retention {
  /// For each capacity of a bounded buffer, the number of subscriptions with that capacity.
  private var subscriptions: [Int: Int] = [:]
  /// The largest capacity; nil once its last subscription has left, until somebody wants to know.
  private var knownLargest: Int? = 1
  /// The version from which every state is kept for an unbounded subscription; `.max` if there is none.
  private var unboundedFrom = UInt64.max

  /// The number of newest states that are kept in any case.
  private var largest: Int {
    mutating get {
      if let knownLargest { return knownLargest }
      let found = subscriptions.keys.max() ?? 1
      knownLargest = found
      return found
    }
  }

  /// Whether every subscription wants nothing but the newest state.
  var isNewestOnly: Bool { mutating get { unboundedFrom == .max && largest == 1 } }

  mutating func add(_ subscription: Subscription) {
    guard let limit = subscription.bounds?.limit else {
      unboundedFrom = min(unboundedFrom, subscription.joinVersion)
      return
    }
    subscriptions[limit, default: 0] += 1
    knownLargest = knownLargest.map { max($0, limit) }
  }

  mutating func remove(_ subscription: Subscription) {
    guard let limit = subscription.bounds?.limit else { return }
    let left = subscriptions[limit, default: 1] - 1
    subscriptions[limit] = left > 0 ? left : nil
    if left == 0, limit == knownLargest { knownLargest = nil }
  }

  /// Sets the first remaining unbounded subscription.
  mutating func setFirstUnbounded(_ subscription: Subscription?) { unboundedFrom = subscription?.joinVersion ?? .max }

  /// Returns whether every state from a version on has to be kept.
  @inline(__always) func keepsAll(from version: UInt64?) -> Bool { version.map { $0 >= unboundedFrom } ?? true }

  /// The number of newest states, and the version, from which on no state is dropped.
  var limits: (newest: Int, unboundedFrom: UInt64) { mutating get { (largest, unboundedFrom) } }
}

/// Dropping states that no subscription will receive (3.05).
extension Lane {
  /// Drops states from the batch of the calling thread, which serves the lane, and from the pending states.
  func trim(_ batch: inout Batch, _ effects: inout Effects) {
    updateCursors()
    if !batch.queue.isEmpty, !inTurn.retention.keepsAll(from: batch.queue.firstVersion) { requeue(&batch) }
    if !batch.queue.isEmpty {
      Self.drop(from: &batch.queue, before: firstVersion, newest: newest, inTurn.subscriptions, &effects)
    }
    trimPending(&effects)
  }

  /// Drops states from the pending states.
  func trim(_ effects: inout Effects) {
    updateCursors()
    trimPending(&effects)
  }

  private func updateCursors() {
    inTurn.cursors.advance(in: inTurn.subscriptions)
    let isUnbounded = inTurn.cursors.firstUnbounded < inTurn.subscriptions.count
    inTurn.retention.setFirstUnbounded(isUnbounded ? inTurn.subscriptions[inTurn.cursors.firstUnbounded] : nil)
  }

  /// Drops the pending states that no buffer keeps.
  func trimToBounds(_ effects: inout Effects) {
    let limits = inTurn.retention.limits
    let surplus = min(
      inTurn.pending.count - limits.newest, inTurn.pending.count(before: limits.unboundedFrom))
    guard surplus > 0 else { return }
    for _ in 0..<surplus { if let state = inTurn.pending.popFirst() { effects.release(state.state) } }
  }

  private func trimPending(_ effects: inout Effects) {
    if inTurn.openCount == 0, inTurn.pending.count > 1 {
      // Together, however many there are.
      var all = StateQueue()
      swap(&all, &inTurn.pending)
      effects.releaseAll(in: all)
    }
    if !inTurn.pending.isEmpty {
      Self.drop(from: &inTurn.pending, before: firstVersion, newest: newest, inTurn.subscriptions, &effects)
    }
    if inTurn.pending.count > 1 { trimToBounds(&effects) }
  }

  /// The version from which on remaining subscriptions may need states.
  ///
  /// Subscriptions are in the order of joining.
  private var firstVersion: UInt64 {
    inTurn.openCount == 0 ? .max : inTurn.subscriptions[inTurn.cursors.first].joinVersion
  }

  /// Drops states before a version, and those at the front that no subscription from their slot on receives.
  private static func drop(
    from queue: inout StateQueue, before version: UInt64, newest: UInt64, _ subscriptions: SubscriptionList,
    _ effects: inout Effects
  ) {
    while let first = queue.firstVersion,
      first < version || !isFirstWanted(&queue, first, newest: newest, by: subscriptions)
    {
      if let state = queue.popFirst() { effects.release(state.state) }
    }
  }

  /// Returns whether a subscription receives the first state, and advances to that subscription.
  private static func isFirstWanted(
    _ queue: inout StateQueue, _ version: UInt64, newest: UInt64, by subscriptions: SubscriptionList
  ) -> Bool {
    guard queue.firstSlot > 0 else { return true }
    while queue.firstSlot < subscriptions.count {
      let subscription = subscriptions[queue.firstSlot]
      let reading = subscription.gate.reading
      if !reading.isClosed, subscription.awaitsState(upTo: version, at: reading, newest: newest) { return true }
      queue.firstSlot += 1
    }
    return false
  }

  /// Makes the states of a batch pending again.
  func requeue(_ batch: inout Batch) {
    // A later replay is only for new subscriptions, and they receive the same state from the batch.
    if let last = batch.queue.last?.version, inTurn.pending.firstVersion == last { _ = inTurn.pending.popFirst() }
    inTurn.pending.prepend(&batch.queue)
  }
}
