/// How many of its pending states a lane has to keep, from the policies of its subscriptions.
struct Demand {
  private var unbounded = 0
  private var oldest = 0
  /// For each capacity of a `newest` policy, how many subscriptions have it.
  private var newest: [Int: Int] = [:]
  /// The largest of these capacities; the latest state is kept in any case.
  private var widest = 1

  /// Everything has to be kept.
  var isUnbounded: Bool { unbounded > 0 }

  mutating func add(_ subscription: Subscription) {
    switch subscription.bounds.map({ ($0.rule, $0.limit) }) {
    case nil: unbounded += 1
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

  /// Drops what no subscription waits for. `fullAt` is the highest of the `oldest` subscriptions' windows: what arrived
  /// before it stays.
  func trim(_ pending: inout ItemQueue, fullAt: UInt64, _ after: inout AfterTurn) {
    guard !isUnbounded else { return }
    while pending.count > widest {
      // What the last arrivals pushed out of the newest.
      let index = pending.count - 1 - widest
      if oldest > 0, let item = pending[index], item.ordinal < fullAt { return }
      let item = oldest > 0 ? pending.remove(at: index) : pending.popFirst()
      if let item { after.release(item.state) }
    }
  }
}
