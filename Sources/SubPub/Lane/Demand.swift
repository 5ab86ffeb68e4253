/// How many of its pending states a lane has to keep, from the policies of its subscriptions.
struct Demand {
  /// For each capacity of a `newest` policy, how many subscriptions have it.
  private var newest: [Int: Int] = [:]
  /// These capacities, ascending, and others that nobody has any more: they go when they come to the end. So the widest is
  /// found at once, however many are cancelled.
  private var capacities: [Int] = []
  /// The latest state is kept in any case.
  private var widest: Int { capacities.last ?? 1 }
  /// What came after this one is for an unbounded subscription, and is kept. The largest number if there is none.
  private var unboundedAfter = UInt64.max
  /// What came after this one may be for a subscription that keeps the oldest. The largest number if there is none.
  private var oldestAfter = UInt64.max

  mutating func add(_ subscription: Subscription) {
    switch subscription.bounds.map({ ($0.rule, $0.limit) }) {
    case nil: unboundedAfter = min(unboundedAfter, subscription.joinedAfter)
    case (.oldest, _)?: oldestAfter = min(oldestAfter, subscription.joinedAfter)
    case (.newest, let limit)?:
      newest[limit, default: 0] += 1
      let index = index(of: limit)
      if index == capacities.count || capacities[index] != limit { capacities.insert(limit, at: index) }
    }
  }

  mutating func remove(_ subscription: Subscription) {
    guard let bounds = subscription.bounds, bounds.rule == .newest else { return }
    let left = newest[bounds.limit, default: 1] - 1
    newest[bounds.limit] = left > 0 ? left : nil
    while let last = capacities.last, newest[last] == nil { capacities.removeLast() }
  }

  /// Where that capacity stands, or would.
  private func index(of capacity: Int) -> Int {
    var (low, high) = (0, capacities.count)
    while low < high {
      let middle = (low + high) / 2
      if capacities[middle] < capacity { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The first that are left of the subscriptions that keep more than the newest. True if less is to be kept for
  /// unbounded ones than before.
  mutating func first(unbounded: Subscription?, oldest: Subscription?) -> Bool {
    let before = unboundedAfter
    unboundedAfter = unbounded?.joinedAfter ?? .max
    oldestAfter = oldest?.joinedAfter ?? .max
    return unboundedAfter > before
  }

  /// Whether everything from that state on has to be kept.
  @inline(__always) func takesAll(from ordinal: UInt64) -> Bool { ordinal > unboundedAfter }

  /// Drops what no subscription waits for. `fullAt` is the highest of the `oldest` subscriptions' windows: what arrived
  /// before it stays.
  func trim(_ pending: inout ItemQueue, fullAt: UInt64, _ after: inout AfterTurn) {
    let end = notWantedByOthers(of: pending)
    // Of that, what those that keep the oldest came too late for, and what they have no place for.
    let early = min(end, pending.count(upTo: oldestAfter))
    var late = end
    while late > early, pending.ordinal(at: late - 1) >= fullAt { late -= 1 }
    pending.remove(late..<end) { after.release($0.state) }
    pending.remove(0..<early) { after.release($0.state) }
  }

  /// The same when it is known what the `oldest` subscriptions wait for.
  func trim(_ pending: inout ItemQueue, waiting: Set<UInt64>, _ after: inout AfterTurn) {
    for index in (0..<notWantedByOthers(of: pending)).reversed() where !waiting.contains(pending.ordinal(at: index)) {
      pending.remove(index..<index + 1) { after.release($0.state) }
    }
  }

  /// How many, from the first on, only `oldest` subscriptions may wait for: the last arrivals pushed them out of the
  /// newest, and every unbounded one came too late for them.
  private func notWantedByOthers(of pending: borrowing ItemQueue) -> Int {
    max(0, min(pending.count - widest, pending.count(upTo: unboundedAfter)))
  }
}
