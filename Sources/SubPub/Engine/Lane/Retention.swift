/// The pending states that a lane has to keep, according to its subscriptions' buffering policies.
struct Retention {
  /// For each capacity of a bounded buffer, the number of subscriptions with that capacity.
  private var subscriptions: [Int: Int] = [:]
  /// The number of newest states that are kept in any case.
  private var largest = 1
  /// The version from which every state is kept for an unbounded subscription; `.max` if there is none.
  private var unboundedFrom = UInt64.max

  /// Whether every subscription wants nothing but the newest state.
  var isNewestOnly: Bool { unboundedFrom == .max && largest == 1 }

  mutating func add(_ subscription: Subscription) {
    guard let limit = subscription.bounds?.limit else {
      unboundedFrom = min(unboundedFrom, subscription.firstVersion)
      return
    }
    subscriptions[limit, default: 0] += 1
    largest = max(largest, limit)
  }

  mutating func remove(_ subscription: Subscription) {
    guard let limit = subscription.bounds?.limit else { return }
    let left = subscriptions[limit, default: 1] - 1
    subscriptions[limit] = left > 0 ? left : nil
    if left == 0, limit == largest { largest = subscriptions.keys.max() ?? 1 }
  }

  /// Sets the first remaining unbounded subscription.
  mutating func setFirstUnbounded(_ subscription: Subscription?) { unboundedFrom = subscription?.firstVersion ?? .max }

  /// Returns whether every state from a version on has to be kept.
  @inline(__always) func keepsAll(from version: UInt64?) -> Bool { version.map { $0 >= unboundedFrom } ?? true }

  /// Drops the oldest states that exceed the largest bound and precede every unbounded subscription.
  func trim(_ pending: inout StateQueue, _ effects: inout Effects) {
    let surplus = min(pending.count - largest, pending.count(before: unboundedFrom))
    guard surplus > 0 else { return }
    for _ in 0..<surplus { if let state = pending.popFirst() { effects.release(state.state) } }
  }
}

/// Dropping states that no subscription will receive (3.05).
extension Lane {
  /// Drops states from a batch and from the pending states.
  ///
  /// The batch belongs to the calling thread, which serves the lane, or was put aside.
  func trim(_ batch: inout Batch, _ effects: inout Effects) {
    updateCursors()
    if !batch.queue.isEmpty, !inTurn.retention.keepsAll(from: batch.queue.firstVersion) { requeue(&batch) }
    if !batch.queue.isEmpty { Self.drop(from: &batch.queue, before: firstVersion, inTurn.subscriptions, &effects) }
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

  private func trimPending(_ effects: inout Effects) {
    if !inTurn.pending.isEmpty {
      Self.drop(from: &inTurn.pending, before: firstVersion, inTurn.subscriptions, &effects)
    }
    if inTurn.pending.count > 1 { inTurn.retention.trim(&inTurn.pending, &effects) }
  }

  /// The version of the first state that a remaining subscription needs.
  ///
  /// Subscriptions are in the order of joining.
  private var firstVersion: UInt64 {
    inTurn.openCount == 0 ? .max : inTurn.subscriptions[inTurn.cursors.first].firstVersion
  }

  /// Drops states before a version, and a replay if all of its new subscriptions have left.
  private static func drop(
    from queue: inout StateQueue, before version: UInt64, _ subscriptions: SubscriptionList, _ effects: inout Effects
  ) {
    while let first = queue.firstVersion, first < version || !isAwaited(&queue, by: subscriptions) {
      if let state = queue.popFirst() { effects.release(state.state) }
    }
  }

  /// Returns whether an open subscription needs the first state, and advances to that subscription.
  private static func isAwaited(_ queue: inout StateQueue, by subscriptions: SubscriptionList) -> Bool {
    guard queue.firstSlot > 0 else { return true }
    while queue.firstSlot < subscriptions.count, !subscriptions[queue.firstSlot].gate.isOpen { queue.firstSlot += 1 }
    return queue.firstSlot < subscriptions.count
  }

  /// Makes the states of a batch pending again.
  func requeue(_ batch: inout Batch) {
    // A later replay is only for new subscriptions, and they receive the same state from the batch.
    if let last = batch.queue.last?.version, inTurn.pending.firstVersion == last { _ = inTurn.pending.popFirst() }
    inTurn.pending.prepend(&batch.queue)
  }
}
