/// How many of its pending states a lane has to keep, from the policies of its subscriptions.
struct Demand {
  private var unbounded = 0
  private var oldest = 0
  /// For each capacity of a `newest` policy, how many subscriptions have it.
  private var newest: [Int: Int] = [:]
  /// The largest of these capacities; the latest state is kept in any case.
  private var widest = 1
  /// What came after this one is for an unbounded subscription, and is kept.
  private var unboundedAfter = UInt64.max

  mutating func add(_ subscription: Subscription) {
    switch subscription.bounds.map({ ($0.rule, $0.limit) }) {
    case nil:
      unbounded += 1
      unboundedAfter = min(unboundedAfter, subscription.joinedAfter)
    case (.oldest, _)?: oldest += 1
    case (.newest, let limit)?:
      newest[limit, default: 0] += 1
      widest = max(widest, limit)
    }
  }

  mutating func remove(_ subscription: Subscription) {
    switch subscription.bounds.map({ ($0.rule, $0.limit) }) {
    case nil: unbounded -= 1
    case (.oldest, _)?: oldest -= 1
    case (.newest, let limit)?:
      let left = newest[limit, default: 1] - 1
      newest[limit] = left > 0 ? left : nil
      if left == 0, limit == widest { widest = newest.keys.max() ?? 1 }
    }
  }

  /// The first of the unbounded subscriptions that are left.
  mutating func firstUnbounded(is subscription: Subscription?) { unboundedAfter = subscription?.joinedAfter ?? .max }

  /// Whether everything from that state on has to be kept.
  @inline(__always) func takesAll(from ordinal: UInt64) -> Bool { ordinal > unboundedAfter }

  /// Drops what no subscription waits for. `fullAt` is the highest of the `oldest` subscriptions' windows: what arrived
  /// before it stays.
  func trim(_ pending: inout ItemQueue, fullAt: UInt64, _ after: inout AfterTurn) {
    // What the last arrivals pushed out of the newest, and what every unbounded one came too late for.
    let end = min(pending.count - widest, unbounded > 0 ? pending.count(upTo: unboundedAfter) : .max)
    var start = max(0, end)
    while start > 0, oldest == 0 || pending.ordinal(at: start - 1) >= fullAt { start -= 1 }
    if start < end { pending.remove(start..<end) { after.release($0.state) } }
  }
}
