/// Finds the subscriptions of an object, in constant time once there are many.
///
/// Built when it is first needed. What has been cancelled is cleared away now and then, so that a cancel needn't
/// look for its place here.
struct SubscriberIndex {
  private var table: [ObjectIdentifier: [Subscription]]?
  private var count = 0

  /// Fewer subscriptions than that are looked through.
  static let smallest = 16

  mutating func add(_ subscription: Subscription, active: Int, _ after: inout AfterTurn) {
    guard table != nil else { return }
    // Mostly of the cancelled, by now: to be built again when it is needed.
    if isOvergrown(active) { return clear(&after) }
    table?[subscription.subscriberID, default: []].append(subscription)
    count += 1
  }

  /// The open subscriptions of whatever lives, or lived, at that place, in no order.
  mutating func find(_ object: ObjectIdentifier, among lanes: [Lane], active: Int, _ after: inout AfterTurn)
    -> [Subscription]
  {
    if active <= Self.smallest {
      clear(&after)
      var found: [Subscription] = []
      for index in lanes.indices { lanes[index].entries.appendOpen(of: object, to: &found) }
      return found
    }
    if table == nil || isOvergrown(active) {
      clear(&after)
      build(from: lanes)
    }
    guard let found = table?[object] else { return [] }
    let open = found.filter { $0.gate.closedAt == nil }
    table?[object] = open.isEmpty ? nil : open
    count -= found.count - open.count
    after.release(found)
    return open
  }

  private func isOvergrown(_ active: Int) -> Bool { count > 2 * active + 2 * Self.smallest }

  /// Lets go of everything: the subscriptions in it keep their registry.
  mutating func clear(_ after: inout AfterTurn) {
    for (_, subscriptions) in table.take() ?? [:] { after.release(subscriptions) }
    count = 0
  }

  private mutating func build(from lanes: [Lane]) {
    let all = lanes.flatMap(\.subscriptions)
    table = Dictionary(grouping: all, by: \.subscriberID)
    count = all.count
  }
}
