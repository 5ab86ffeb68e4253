import Synchronization

/// The gate that every delivery of a subscription passes and that a cancel closes.
///
/// One atomic word holds the position (the next version), the mark "a delivery is under way", and the mark "closed".
/// All three change in one step, so whoever closes the gate knows whether a delivery is under way, and that delivery,
/// when it ends, knows that the gate was closed in the meantime. Deliveries begin and end on the thread that serves the
/// lane, or in an iterator's turn. The gate is closed once, in a turn: by a cancel, because the subscription has fallen
/// behind (2.11), because the subscriber or the context has died, or because the publisher has ended.
struct DeliveryGate: ~Copyable {
  /// The marks and the next version.
  ///
  /// Bit 0 means closed, and bit 1 means under way. The other bits are the next version, which is also the number of
  /// versions that have passed or that precede the subscription.
  private let word: Atomic<UInt64>
  /// The newest version when the gate was closed, above three bits that say why; written before the mark.
  private let closing = Atomic<UInt64>(0)
  let point: SchedulingPoint

  /// The contents of the word at one moment.
  struct Reading: Equatable, Sendable {
    let bits: UInt64

    /// The next version: every earlier one has passed or precedes the subscription.
    var next: UInt64 { bits >> 2 }
    var isUnderWay: Bool { bits & Self.underWay != 0 }
    var isClosed: Bool { bits & Self.closed != 0 }

    fileprivate static let closed: UInt64 = 1
    fileprivate static let underWay: UInt64 = 2
  }

  /// Creates an open gate for the versions from `next` on.
  init(next: UInt64, _ point: SchedulingPoint) {
    word = Atomic(next << 2)
    self.point = point
  }

  /// The contents of the word; acquires the effects of the last delivery that has ended.
  @inline(__always) var reading: Reading { Reading(bits: word.load(ordering: .acquiring)) }

  @inline(__always) var isOpen: Bool { !reading.isClosed }

  /// The newest version when the gate was closed; nil while it is open.
  var closedAt: UInt64? { isOpen ? nil : closing.load(ordering: .relaxed) >> 3 }

  /// Why the gate was closed; nil while it is open.
  var reason: SubscriptionEnd? {
    isOpen ? nil : SubscriptionEnd(rawValue: UInt8(closing.load(ordering: .relaxed) & 0b111))
  }
}

/// The operations of the thread that serves the lane.
extension DeliveryGate {
  /// Begins a delivery, unless the gate is closed.
  @inline(__always) func begin(_ version: UInt64, from reading: Reading) -> Bool {
    guard !reading.isClosed else { return false }
    return exchange(reading.bits, for: (version + 1) << 2 | Reading.underWay)
  }

  /// Ends the delivery, after the subscriber's code has returned and the subscriber was released.
  ///
  /// Returns false if the gate was closed in the meantime, so that this end may be awaited.
  @inline(__always) func end(_ version: UInt64) -> Bool { leave(version, (version + 1) << 2) }

  /// Undoes `begin` because the subscriber was dead; returns false if the gate was closed in the meantime.
  func retract(_ version: UInt64, to reading: Reading) -> Bool { leave(version, reading.bits) }

  @inline(__always)
  private func leave(_ version: UInt64, _ bits: UInt64) -> Bool {
    if exchange((version + 1) << 2 | Reading.underWay, for: bits) { return true }
    // Nothing follows the closing.
    word.store(bits | Reading.closed, ordering: .releasing)
    return false
  }

  @inline(__always)
  private func exchange(_ expected: UInt64, for desired: UInt64) -> Bool {
    point.reach(.write)
    return word.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
  }

  /// Moves past states that are skipped, in a turn; returns false if the gate doesn't contain any more what was read.
  ///
  /// So a thread that has read the gate before can't deliver one of them any more.
  func skip(to version: UInt64, from reading: Reading) -> Bool { exchange(reading.bits, for: version << 2) }

  /// Begins and ends a delivery at once, in a turn, in which no one can close the gate.
  func pass(_ version: UInt64) { word.store((version + 1) << 2, ordering: .releasing) }
}

extension DeliveryGate {
  /// Closes the gate and returns its contents from before; nil if it was already closed.
  ///
  /// Called inside a turn, so that one of two cancels is the first.
  func close(at newest: UInt64, as end: SubscriptionEnd) -> Reading? {
    guard note(end, at: newest) else { return nil }
    point.reach(.write)
    return Reading(bits: word.bitwiseOr(Reading.closed, ordering: .acquiringAndReleasing).oldValue)
  }

  /// Does the same only if the gate still contains what was read; otherwise, returns nil.
  func close(at newest: UInt64, as end: SubscriptionEnd, ifStill reading: Reading) -> Reading? {
    note(end, at: newest) && exchange(reading.bits, for: reading.bits | Reading.closed) ? reading : nil
  }

  /// Notes why the gate is about to be closed; returns false if it already is.
  private func note(_ end: SubscriptionEnd, at newest: UInt64) -> Bool {
    guard isOpen else { return false }
    closing.store(newest << 3 | UInt64(end.rawValue), ordering: .relaxed)
    return true
  }
}
