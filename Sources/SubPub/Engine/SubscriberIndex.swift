/// An index that finds the subscriptions of an object, in constant time once there are many.
///
/// Built when it is first needed. Cancelled subscriptions are removed when their object subscribes again, or once there
/// are many of them, so a cancel doesn't need to search here.
struct SubscriberIndex {
  /// The subscriptions of one object, or of several that have lived at the same address; usually one.
  fileprivate struct Entry {
    var first: Subscription
    var others: [Subscription] = []

    var all: [Subscription] { [first] + others }
  }

  private var table: [ObjectIdentifier: Entry]?
  private var count = 0

  /// The number of subscriptions up to which they are searched one by one.
  static let smallest = 16

  mutating func add(_ subscription: Subscription, openCount: Int, _ effects: inout Effects) {
    guard table != nil else { return }
    // Most entries belong to cancelled subscriptions by now. The table is rebuilt when it is needed.
    if isOvergrown(openCount) { return clear(&effects) }
    put(subscription, &effects)
  }

  /// Returns the open subscriptions of any object that lives, or has lived, at an address.
  ///
  /// They are in no particular order. `openCount` is the number of open subscriptions.
  mutating func find(
    _ object: ObjectIdentifier, among lanes: [Lane], openCount: Int, _ effects: inout Effects
  ) -> [Subscription] {
    if openCount <= Self.smallest {
      if table != nil { clear(&effects) }
      var found: [Subscription] = []
      for lane in lanes { lane.inTurn.subscriptions.appendOpen(of: object, to: &found) }
      return found
    }
    if table == nil || isOvergrown(openCount) {
      clear(&effects)
      build(from: lanes, &effects)
    }
    guard let entry = table?[object] else { return [] }
    // The common case. Once the subscription is cancelled, the object's next one takes its place.
    if entry.others.isEmpty { return entry.first.gate.isOpen ? [entry.first] : [] }
    let open = entry.all.filter { $0.gate.isOpen }
    if open.count <= entry.others.count { keep(open, of: entry, at: object, &effects) }
    return open
  }

  private mutating func keep(
    _ open: [Subscription], of entry: Entry, at object: ObjectIdentifier, _ effects: inout Effects
  ) {
    count -= entry.others.count + 1 - open.count
    table?[object] = open.first.map { Entry(first: $0, others: Array(open.dropFirst())) }
    effects.releaseAll(in: entry.all)
  }

  private func isOvergrown(_ openCount: Int) -> Bool { count > 2 * openCount + 2 * Self.smallest }

  /// Releases everything, because the subscriptions in the table keep their registry alive.
  mutating func clear(_ effects: inout Effects) {
    if let table = table.take() { effects.releaseAll(in: table) }
    count = 0
  }

  private mutating func build(from lanes: [Lane], _ effects: inout Effects) {
    table = [:]
    for lane in lanes { for subscription in lane.inTurn.subscriptions.open { put(subscription, &effects) } }
  }

  private mutating func put(_ subscription: Subscription, _ effects: inout Effects) {
    let displaced = table?[subscription.subscriberID, default: Entry(first: subscription)].put(subscription)
    if let displaced { effects.release(displaced) } else { count += 1 }
  }
}

extension SubscriberIndex.Entry {
  /// Adds a subscription; returns the first one if it was cancelled and the new one takes its place.
  fileprivate mutating func put(_ subscription: Subscription) -> Subscription? {
    if first === subscription { return nil }
    guard !first.gate.isOpen else {
      others.append(subscription)
      return nil
    }
    defer { first = subscription }
    return first
  }
}
