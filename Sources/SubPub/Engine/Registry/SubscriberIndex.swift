/// The open subscriptions: their number, and an index that finds those of an object, in constant time once there are
/// many.
///
/// The index is built when it is first needed. Cancelled subscriptions are removed when their object subscribes again,
/// or once there are many of them, so a cancel doesn't need to search here.
struct SubscriberIndex {
  /// The subscriptions of one object, or of several that have lived at the same address; usually one.
  fileprivate struct Entry {
    var first: Subscription
    var others: [Subscription] = []

    var all: [Subscription] { [first] + others }
  }

  private(set) var openCount = 0
  /// How many of the open subscriptions belong to a `DirectorySubscription`.
  private(set) var partCount = 0
  /// The number of subscriptions above which it is worth looking for dead ones.
  private var sweepAt = 32

  private var table: [ObjectIdentifier: Entry]?
  /// The number of subscriptions in the table.
  private var entryCount = 0

  /// The number of subscriptions up to which they are searched one by one.
  static let smallest = 16

  /// Whether there are so many subscriptions that some may belong to dead subscribers.
  var isSweepDue: Bool { openCount > sweepAt }

  /// Sets the number above which the next sweep is due.
  mutating func noteSweep(living: Int) { sweepAt = 2 * living + 32 }

  mutating func add(_ subscription: Subscription, _ effects: inout Effects) {
    openCount += 1
    if subscription.interface.isPart { partCount += 1 }
    guard table != nil else { return }
    // Most entries belong to cancelled subscriptions by now. The table is rebuilt when it is needed.
    if isOvergrown { return clear(&effects) }
    put(subscription, &effects)
  }

  /// Subtracts subscriptions that have left.
  mutating func leave(_ count: Int, ofWhichParts parts: Int) {
    openCount -= count
    partCount -= parts
    sweepAt = min(sweepAt, 2 * openCount + 32)
  }

  /// Returns the open subscriptions of any object that lives, or has lived, at an address.
  ///
  /// They are in no particular order.
  mutating func find(
    _ object: ObjectIdentifier, among lanes: LaneTable, _ effects: inout Effects
  ) -> [Subscription] {
    if openCount <= Self.smallest {
      if table != nil { clear(&effects) }
      var found: [Subscription] = []
      lanes.forEach { $0.inTurn.subscriptions.appendOpen(of: object, to: &found) }
      return found
    }
    if table == nil || isOvergrown {
      clear(&effects)
      build(from: lanes.all, &effects)
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
    entryCount -= entry.others.count + 1 - open.count
    table?[object] = open.first.map { Entry(first: $0, others: Array(open.dropFirst())) }
    effects.releaseAll(in: entry.all)
  }

  private var isOvergrown: Bool { entryCount > 2 * openCount + 2 * Self.smallest }

  /// Releases everything, because the subscriptions in the table keep their registry alive.
  mutating func clear(_ effects: inout Effects) {
    if let table = table.take() { effects.releaseAll(in: table) }
    entryCount = 0
  }

  private mutating func build(from lanes: [Lane], _ effects: inout Effects) {
    table = [:]
    for lane in lanes { for subscription in lane.inTurn.subscriptions.open { put(subscription, &effects) } }
  }

  private mutating func put(_ subscription: Subscription, _ effects: inout Effects) {
    let displaced = table?[subscription.subscriberID, default: Entry(first: subscription)].put(subscription)
    if let displaced { effects.release(displaced) } else { entryCount += 1 }
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
