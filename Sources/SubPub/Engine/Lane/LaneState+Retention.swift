/// How many pending states a lane has to keep, from the buffering policies of its subscriptions.
struct Retention {
  /// For each capacity of a bounded buffer, the number of subscriptions that have it.
  private var subscriptions: [Int: Int] = [:]
  /// These capacities in ascending order, among others that no subscription has any more; those go when they come last. So
  /// the largest is found at once, however many subscriptions are cancelled.
  private var capacities: [Int] = []
  /// Everything from this version on is for an unbounded subscription. `.max` if there is none.
  private var unboundedFrom = UInt64.max

  /// The newest states that are kept in any case.
  private var largest: Int { capacities.last ?? 1 }

  mutating func add(_ subscription: Subscription) {
    guard let limit = subscription.bounds?.limit else {
      unboundedFrom = min(unboundedFrom, subscription.firstVersion)
      return
    }
    subscriptions[limit, default: 0] += 1
    let index = index(of: limit)
    if index == capacities.count || capacities[index] != limit { capacities.insert(limit, at: index) }
  }

  mutating func remove(_ subscription: Subscription) {
    guard let limit = subscription.bounds?.limit else { return }
    let left = subscriptions[limit, default: 1] - 1
    subscriptions[limit] = left > 0 ? left : nil
    while let last = capacities.last, subscriptions[last] == nil { capacities.removeLast() }
  }

  /// The index where that capacity stands, or would stand.
  private func index(of capacity: Int) -> Int {
    var (low, high) = (0, capacities.count)
    while low < high {
      let middle = (low + high) / 2
      if capacities[middle] < capacity { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The first unbounded subscription that is left.
  mutating func setFirstUnbounded(_ subscription: Subscription?) { unboundedFrom = subscription?.firstVersion ?? .max }

  /// Whether every state from that version on has to be kept.
  @inline(__always) func keepsAll(from version: UInt64?) -> Bool { version.map { $0 >= unboundedFrom } ?? true }

  /// Drops the oldest states, if they are too old for every bound, and every unbounded subscription came later.
  func trim(_ pending: inout StateQueue, _ effects: inout Effects) {
    let surplus = min(pending.count - largest, pending.count(before: unboundedFrom))
    guard surplus > 0 else { return }
    for _ in 0..<surplus { if let state = pending.popFirst() { effects.release(state.state) } }
  }
}

/// Dropping states that nobody is left to get (3.05).
extension LaneState {
  /// Drops states from the batch of the calling thread, which serves the lane or has paused, and from what is pending.
  mutating func trim(_ batch: inout Batch, _ effects: inout Effects) {
    updateCursors()
    if !batch.queue.isEmpty, !retention.keepsAll(from: batch.queue.firstVersion) { requeue(&batch) }
    if !batch.queue.isEmpty { Self.drop(from: &batch.queue, before: firstVersion, subscriptions, &effects) }
    trimPending(&effects)
  }

  /// Drops states from what is pending.
  mutating func trim(_ effects: inout Effects) {
    updateCursors()
    trimPending(&effects)
  }

  private mutating func updateCursors() {
    cursors.advance(in: subscriptions)
    let isUnbounded = cursors.firstUnbounded < subscriptions.count
    retention.setFirstUnbounded(isUnbounded ? subscriptions[cursors.firstUnbounded] : nil)
  }

  private mutating func trimPending(_ effects: inout Effects) {
    if !pending.isEmpty { Self.drop(from: &pending, before: firstVersion, subscriptions, &effects) }
    if pending.count > 1 { retention.trim(&pending, &effects) }
  }

  /// The version of the first state that a subscription is left for. Subscriptions are in the order of joining.
  private var firstVersion: UInt64 { active == 0 ? .max : subscriptions[cursors.first].firstVersion }

  /// Drops states before that version, and a replay whose newcomers have all left. Static, because a method that takes a part
  /// of its own `self` copies the rest.
  private static func drop(
    from queue: inout StateQueue, before version: UInt64, _ subscriptions: SubscriptionList, _ effects: inout Effects
  ) {
    while let first = queue.firstVersion, first < version || !isAwaited(&queue, by: subscriptions) {
      if let state = queue.popFirst() { effects.release(state.state) }
    }
  }

  /// Whether the first state is for a subscription that is still open. Moves on to it.
  private static func isAwaited(_ queue: inout StateQueue, by subscriptions: SubscriptionList) -> Bool {
    guard queue.firstSlot > 0 else { return true }
    while queue.firstSlot < subscriptions.count, !subscriptions[queue.firstSlot].gate.isOpen { queue.firstSlot += 1 }
    return queue.firstSlot < subscriptions.count
  }

  /// No unbounded subscription is left for the states in hand: they are pending again, so that bounds apply to them.
  private mutating func requeue(_ batch: inout Batch) {
    var all = StateQueue()
    swap(&all, &batch.queue)
    // A replay that came later is for newcomers only, and they get the same state from what was in hand.
    if let last = all.last?.version, pending.firstVersion == last { _ = pending.popFirst() }
    while let state = pending.popFirst() { all.append(state) }
    pending = all
  }
}
