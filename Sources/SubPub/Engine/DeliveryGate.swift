import Synchronization

/// The gate that every delivery of a subscription passes and that a cancel closes.
///
/// One atomic word holds the position (the next version), the mark "a delivery is under way", and the mark "cancelled".
/// So all three change in one step, and a reader sees them together. Deliveries begin and end on the thread that serves
/// the lane, or in an iterator's turn. The gate is closed only in a turn: by a cancel, or because the subscriber, the
/// context, or the publisher is gone.
struct DeliveryGate: ~Copyable {
  /// The marks and the next version.
  ///
  /// Bit 0 means cancelled, and bit 1 means under way. The other bits are the next version, which is also the number of
  /// versions that have passed or that precede the subscription.
  private let word: Atomic<UInt64>
  /// Zero while the gate is open, otherwise 1 + the newest version at the cancel.
  private let closed = Atomic<UInt64>(0)
  let point: SchedulingPoint

  /// The contents of the word at one moment.
  struct Reading: Equatable, Sendable {
    let bits: UInt64

    /// The next version: every earlier one has passed or precedes the subscription.
    var next: UInt64 { bits >> 2 }
    var isUnderWay: Bool { bits & Self.underWay != 0 }
    /// Whether nothing passes before ``DeliveryGate/open(at:)`` is called.
    var isWaiting: Bool { next == Self.beyond }

    /// Greater than every version, so that a delivery needn't check whether the gate is waiting.
    fileprivate static let beyond = UInt64.max >> 2
    fileprivate var isCancelled: Bool { bits & Self.cancelled != 0 }
    fileprivate static let cancelled: UInt64 = 1
    fileprivate static let underWay: UInt64 = 2
  }

  /// Creates an open gate for the versions from `next` on.
  ///
  /// If `waits` is true, nothing passes before ``open(at:)`` is called.
  init(next: UInt64, waits: Bool, _ point: SchedulingPoint) {
    word = Atomic((waits ? Reading.beyond : next) << 2)
    self.point = point
  }

  /// Lets the versions from `next` on pass if the gate was waiting and isn't cancelled.
  ///
  /// Called inside a turn, while no delivery is under way.
  func open(at next: UInt64) {
    _ = word.compareExchange(expected: Reading.beyond << 2, desired: next << 2, ordering: .releasing)
  }

  /// The contents of the word; acquires the effects of the last delivery that has ended.
  @inline(__always) var reading: Reading { Reading(bits: word.load(ordering: .acquiring)) }

  /// Whether a delivery is under way, for a caller that has just closed the gate.
  ///
  /// It sees every delivery that began before.
  var isUnderWayNow: Bool { Reading(bits: word.load(ordering: .sequentiallyConsistent)).isUnderWay }

  @inline(__always) var isOpen: Bool { closed.load(ordering: .sequentiallyConsistent) == 0 }

  /// The newest version at the cancel; nil while the gate is open.
  var closedAt: UInt64? {
    let closed = closed.load(ordering: .sequentiallyConsistent)
    return closed == 0 ? nil : closed - 1
  }
}

/// The operations of the thread that serves the lane.
extension DeliveryGate {
  /// Begins a delivery, unless the subscription is cancelled: the only read-modify-write of a delivery.
  ///
  /// A cancel marks the word, which stops every later delivery; the word that the mark replaces is the cancel's
  /// outcome. If a delivery was under way, its `end`, a plain store, overwrites the mark. So a cancel that finds a
  /// delivery under way also requests the serving thread's attention, and that thread steps back and takes a turn after
  /// the gate has let it pass. A delivery that begins between these two steps of the cancel goes ahead: the cancel
  /// hasn't returned yet, and this is the delivery that it reports as in flight.
  @inline(__always) func begin(_ version: UInt64, from reading: Reading) -> Bool {
    guard !reading.isCancelled else { return false }
    point.reach(.write)
    return word.compareExchange(
      expected: reading.bits, desired: (version + 1) << 2 | Reading.underWay, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Ends the delivery, after the subscriber's code has returned and the subscriber was released.
  @inline(__always) func end(_ version: UInt64) {
    point.reach(.write)
    word.store((version + 1) << 2, ordering: .releasing)
  }

  /// Begins and ends a delivery at once, in a turn, in which no one can close the gate.
  func pass(_ version: UInt64) { word.store((version + 1) << 2, ordering: .releasing) }

  /// Takes `begin` back, as if the delivery had never begun.
  ///
  /// Returns false if a cancel's mark came in between: that cancel has found this delivery under way and reports it, so
  /// the delivery must go ahead. If an `end` has overwritten the mark of an earlier cancel, the mark is restored,
  /// so that the next `begin` fails.
  func stepBack(_ version: UInt64, to reading: Reading) -> Bool {
    let mark = isOpen ? 0 : Reading.cancelled
    point.reach(.write)
    return word.compareExchange(
      expected: (version + 1) << 2 | Reading.underWay, desired: reading.bits | mark, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Takes `begin` back because the subscriber was dead.
  func retract(_ version: UInt64, to reading: Reading) {
    if !stepBack(version, to: reading) { word.store(reading.bits | Reading.cancelled, ordering: .releasing) }
  }
}

/// The operations of a cancel.
extension DeliveryGate {
  /// Closes the gate and returns its contents; nil if it was already closed.
  ///
  /// Called inside a turn, so that one of two cancels is the first. If a delivery was under way, the caller has to
  /// request the serving thread's attention; see `begin`.
  func close(at newest: UInt64) -> Reading? {
    guard isOpen else { return nil }
    point.reach(.write)
    closed.store(newest + 1, ordering: .sequentiallyConsistent)
    return mark()
  }

  /// Sets the cancelled mark and returns the contents from before.
  @discardableResult
  func mark() -> Reading {
    point.reach(.write)
    return Reading(bits: word.bitwiseOr(Reading.cancelled, ordering: .sequentiallyConsistent).oldValue)
  }
}
