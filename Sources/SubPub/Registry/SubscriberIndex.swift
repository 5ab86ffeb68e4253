/// Finds the subscriptions of an object, in constant time once there are many.
///
/// Built when it is first needed. What has been cancelled is cleared away when its object subscribes again, or when it is
/// much, so that a cancel needn't look for its place here.
struct SubscriberIndex {
  /// The subscriptions of one object, or of several that lived at the same place. Most have one.
  fileprivate struct Entry {
    var first: Subscription
    var others: [Subscription] = []

    var all: [Subscription] { [first] + others }
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
    guard let entry = table?[object] else { return [] }
    // The common case. One that was cancelled gives its place to the next of the object.
    if entry.others.isEmpty { return entry.first.gate.closedAt == nil ? [entry.first] : [] }
    let open = entry.all.filter { $0.gate.closedAt == nil }
    if open.count <= entry.others.count { keep(open, of: entry, at: object, &after) }
    return open
  }

  private mutating func keep(
    _ open: [Subscription], of entry: Entry, at object: ObjectIdentifier, _ after: inout AfterTurn
  ) {
    count -= entry.others.count + 1 - open.count
    table?[object] = open.first.map { Entry(first: $0, others: Array(open.dropFirst())) }
    after.release(entry.all)
  }

  private func isOvergrown(_ active: Int) -> Bool { count > 2 * active + 2 * Self.smallest }

  /// Lets go of everything: the subscriptions in it keep their registry.
  mutating func clear(_ after: inout AfterTurn) {
    if let table = table.take() { after.releaseAll(in: table) }
    count = 0
  }

  private mutating func build(from lanes: [Lane], _ after: inout AfterTurn) {
    table = [:]
    for index in lanes.indices { for subscription in lanes[index].subscriptions { put(subscription, &after) } }
  }

  private mutating func put(_ subscription: Subscription, _ after: inout AfterTurn) {
    let old = table?[subscription.subscriberID, default: Entry(first: subscription)].put(subscription)
    if let old { after.release(old) } else { count += 1 }
  }
}

extension SubscriberIndex.Entry {
  /// Puts another one in; in the place of the first, which is returned, if that was cancelled.
  fileprivate mutating func put(_ subscription: Subscription) -> Subscription? {
    if first === subscription { return nil }
    guard first.gate.closedAt != nil else {
      others.append(subscription)
      return nil
    }
    defer { first = subscription }
    return first
  }
}
