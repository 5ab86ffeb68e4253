import Synchronization

/// The gate that every delivery of a subscription passes, and that a cancel closes (section 3 of the contract).
///
/// One atomic word holds the position (which version comes next), "a delivery is under way", and "cancelled". So position,
/// mark and gate change in one step, and a reader sees them together. Only the thread that serves the lane begins and
/// ends deliveries; only a cancel closes, inside a turn.
struct DeliveryGate: ~Copyable {
  /// Bit 0: cancelled. Bit 1: under way. The rest: the next version, that is, the number of versions that have passed, or
  /// that came before the subscription.
  private let word: Atomic<UInt64>
  /// 0 while the gate is open, otherwise 1 + the newest version at the cancel.
  private let closed = Atomic<UInt64>(0)
  let point: SchedulingPoint

  /// What the word said at one moment.
  struct Reading: Equatable, Sendable {
    let bits: UInt64

    /// Every version below this one has passed, or came before the subscription.
    var next: UInt64 { bits >> 2 }
    var isUnderWay: Bool { bits & Self.underWay != 0 }
    /// The gate waits for ``DeliveryGate/open(at:)``: nothing passes yet.
    var isWaiting: Bool { next == Self.beyond }

    /// Greater than every version, so that a delivery needn't check whether the gate waits.
    fileprivate static let beyond = UInt64.max >> 2
    fileprivate var isCancelled: Bool { bits & Self.cancelled != 0 }
    fileprivate static let cancelled: UInt64 = 1
    fileprivate static let underWay: UInt64 = 2
  }

  /// An open gate that lets versions pass from `next` on. With `waits`, nothing passes before `open(at:)`.
  init(next: UInt64, waits: Bool, _ point: SchedulingPoint) {
    word = Atomic((waits ? Reading.beyond : next) << 2)
    self.point = point
  }

  /// Lets versions pass from `next` on, if the gate has been waiting and isn't cancelled. In a turn, while no delivery is
  /// under way.
  func open(at next: UInt64) {
    _ = word.compareExchange(expected: Reading.beyond << 2, desired: next << 2, ordering: .releasing)
  }

  /// Acquires what the delivery that ended last has done.
  @inline(__always) var reading: Reading { Reading(bits: word.load(ordering: .acquiring)) }

  /// For a caller that has just closed the gate: sees every delivery that began before.
  var isUnderWayNow: Bool { Reading(bits: word.load(ordering: .sequentiallyConsistent)).isUnderWay }

  @inline(__always) var isOpen: Bool { closed.load(ordering: .sequentiallyConsistent) == 0 }

  /// The newest version at the cancel. Nil while the gate is open.
  var closedAt: UInt64? {
    let closed = closed.load(ordering: .sequentiallyConsistent)
    return closed == 0 ? nil : closed - 1
  }
}

/// What the thread that serves the lane does.
extension DeliveryGate {
  /// The one read-modify-write of a delivery: from `reading` to "under way with that version". False if cancelled.
  ///
  /// A cancel marks the word, which stops every later delivery, and what the mark displaces is the cancel's outcome. If a
  /// delivery was under way, its `end`, a plain store, overwrites the mark. So after the mark, a cancel that finds a delivery
  /// under way also requests the serving thread's attention, and that thread, once the gate has let it pass, steps back and
  /// takes a turn. Only a delivery that begins between the cancel's two steps goes on: then the cancel hasn't returned yet,
  /// and this is the one that is in flight.
  @inline(__always) func begin(_ version: UInt64, from reading: Reading) -> Bool {
    guard !reading.isCancelled else { return false }
    point.reach(.write)
    return word.compareExchange(
      expected: reading.bits, desired: (version + 1) << 2 | Reading.underWay, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// The delivery has ended: the subscriber's code has returned, and the subscriber was released.
  @inline(__always) func end(_ version: UInt64) {
    point.reach(.write)
    word.store((version + 1) << 2, ordering: .releasing)
  }

  /// A delivery that begins and ends at once, in a turn, when nobody can close the gate.
  func pass(_ version: UInt64) { word.store((version + 1) << 2, ordering: .releasing) }

  /// Takes `begin` back, as if the delivery had never begun. False if a cancel's mark came in between: that cancel has found
  /// a delivery under way and says so, and this is the delivery that it found.
  ///
  /// If an `end` has overwritten the mark, the mark is restored, so that the next `begin` fails.
  func stepBack(_ version: UInt64, to reading: Reading) -> Bool {
    let mark = isOpen ? 0 : Reading.cancelled
    point.reach(.write)
    return word.compareExchange(
      expected: (version + 1) << 2 | Reading.underWay, desired: reading.bits | mark, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// Takes `begin` back: the subscriber was dead.
  func retract(_ version: UInt64, to reading: Reading) {
    if !stepBack(version, to: reading) { word.store(reading.bits | Reading.cancelled, ordering: .releasing) }
  }
}

/// What a cancel does.
extension DeliveryGate {
  /// Closes the gate and returns what was under way. Nil if it was closed before. In a turn, so that one of two cancels is
  /// the first. If a delivery was under way, the caller requests the serving thread's attention; see `begin`.
  func close(at newest: UInt64) -> Reading? {
    guard isOpen else { return nil }
    point.reach(.write)
    closed.store(newest + 1, ordering: .sequentiallyConsistent)
    return mark()
  }

  /// Lets nothing pass any more, and returns what was under way.
  @discardableResult
  func mark() -> Reading {
    point.reach(.write)
    return Reading(bits: word.bitwiseOr(Reading.cancelled, ordering: .sequentiallyConsistent).oldValue)
  }
}
