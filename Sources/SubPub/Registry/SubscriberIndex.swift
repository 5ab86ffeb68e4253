/// Finds the subscriptions of an object, in constant time once there are many.
///
/// Built when it is first needed. What has been cancelled is cleared away when its object subscribes again, or when it is
/// much, so that a cancel needn't look for its place here.
struct SubscriberIndex {
  /// The subscriptions of one object, or of several that lived at the same place. Most have one.
  private struct Entry {
    var first: Subscription
    var others: [Subscription] = []

    /// Puts another one in, in the place of one that was cancelled, if there is one; returns that.
    mutating func put(_ subscription: Subscription) -> Subscription? {
      var old = subscription
      if first === subscription { return nil }
      if first.gate.closedAt != nil {
        swap(&old, &first)
      } else if let index = others.firstIndex(where: { $0.gate.closedAt != nil }) {
        swap(&old, &others[index])
      } else {
        others.append(subscription)
        return nil
      }
      return old
    }

    var open: [Subscription] {
      let open = others.filter { $0.gate.closedAt == nil }
      return first.gate.closedAt == nil ? [first] + open : open
    }
  }

  private var table: [ObjectIdentifier: Entry]?
  private var count = 0

  /// Fewer subscriptions than that are looked through.
  static let smallest = 16

  mutating func add(_ subscription: Subscription, active: Int, _ after: inout AfterTurn) {
    guard table != nil else { return }
    // Mostly of the cancelled, by now: to be built again when it is needed.
    if isOvergrown(active) { return clear(&after) }
    put(subscription, &after)
  }

  /// The open subscriptions of whatever lives, or lived, at that place, in no order.
  mutating func find(_ object: ObjectIdentifier, among lanes: [Lane], active: Int, _ after: inout AfterTurn)
    -> [Subscription]
  {
    if active <= Self.smallest {
      if table != nil { clear(&after) }
      var found: [Subscription] = []
      for index in lanes.indices { lanes[index].entries.appendOpen(of: object, to: &found) }
      return found
    }
    if table == nil || isOvergrown(active) {
      clear(&after)
      build(from: lanes, &after)
    }
    return table?[object]?.open ?? []
  }

  private func isOvergrown(_ active: Int) -> Bool { count > 2 * active + 2 * Self.smallest }

  /// Lets go of everything: the subscriptions in it keep their registry.
  mutating func clear(_ after: inout AfterTurn) {
    guard let entries = table.take() else { return }
    for entry in entries.values { after.release([entry.first] + entry.others) }
    count = 0
  }

  private mutating func build(from lanes: [Lane], _ after: inout AfterTurn) {
    table = [:]
    for index in lanes.indices { for subscription in lanes[index].subscriptions { put(subscription, &after) } }
  }

  private mutating func put(_ subscription: Subscription, _ after: inout AfterTurn) {
    if let old = table?[subscription.subscriberID, default: Entry(first: subscription)].put(subscription) {
      after.release(old)
    } else {
      count += 1
    }
  }
}
