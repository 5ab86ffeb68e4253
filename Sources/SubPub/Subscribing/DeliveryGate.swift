import Synchronization

/// The gate that every delivery of a subscription passes, and that a cancel closes (section 3 of the contract).
///
/// States are counted by ordinals: a publisher's first state, version 0, has ordinal 1.
///
/// One word holds the ordinal of the last state that passed, "a delivery is under way", and "cancelled". So the gate,
/// the mark and the position are one atomic step, and a reader sees them together. Only the thread that drains the
/// lane begins and ends; only a cancel, inside a turn, closes.
package struct DeliveryGate: ~Copyable {
  /// Bit 0: cancelled. Bit 1: under way. The rest: the ordinal of the last state that passed.
  private let word: Atomic<UInt64>
  /// 0 while open, else the ordinal of the newest state at the cancel.
  private let closed = Atomic<UInt64>(0)

  /// What the word said at one moment.
  package struct Reading: Equatable, Sendable {
    package let bits: UInt64
    package var ordinal: UInt64 { bits >> 2 }
    package var isUnderWay: Bool { bits & Self.underWay != 0 }
    /// Nothing passes yet.
    var isWaiting: Bool { ordinal == Self.beyond }
    /// Beyond all states, so a delivery needn't ask whether the gate waits.
    fileprivate static let beyond = UInt64.max >> 2
    fileprivate var isCancelled: Bool { bits & Self.cancelled != 0 }
    fileprivate static let cancelled: UInt64 = 1
    fileprivate static let underWay: UInt64 = 2
  }

  /// Open, with everything up to `ordinal` behind it; or nothing passes before `open(after:)`.
  init(after ordinal: UInt64, waits: Bool = false) { word = Atomic((waits ? Reading.beyond : ordinal) << 2) }

  /// Lets those pass that come after that state, if nothing has passed up to now and nobody has cancelled. Inside a turn
  /// while nobody delivers.
  func open(after ordinal: UInt64) {
    _ = word.compareExchange(expected: Reading.beyond << 2, desired: ordinal << 2, ordering: .releasing)
  }

  /// Acquires what the delivery that ended last has done.
  @inline(__always) package var reading: Reading { Reading(bits: word.load(ordering: .acquiring)) }

  /// For one who has just closed the gate: whatever began before that is seen.
  package var isUnderWayNow: Bool { Reading(bits: word.load(ordering: .sequentiallyConsistent)).isUnderWay }

  /// The ordinal of the newest state at the cancel; nil while open.
  @inline(__always) package var closedAt: UInt64? {
    let closed = closed.load(ordering: .sequentiallyConsistent)
    return closed == 0 ? nil : closed
  }

  /// The one read-modify-write of a delivery: from `reading` to "under way with that state". False when cancelled.
  ///
  /// A cancel closes first and marks the word then. Its mark stops who comes later, and says what it found. But it may
  /// have come during the delivery before, whose `end`, a plain store, wipes it: therefore the second look, at what `end`
  /// never writes. All of it is sequentially consistent: one who passes here after such a mark sees that the gate is
  /// closed, and takes the step back.
  @inline(__always) package func begin(_ ordinal: UInt64, from reading: Reading) -> Bool {
    guard enter(ordinal, from: reading) else { return false }
    return isStillOpen || !leave(ordinal, to: reading)
  }

  /// The first step of `begin`.
  @inline(__always) package func enter(_ ordinal: UInt64, from reading: Reading) -> Bool {
    guard !reading.isCancelled else { return false }
    return word.compareExchange(
      expected: reading.bits, desired: ordinal << 2 | Reading.underWay, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// The second step of `begin`: the look at what `end` never writes.
  @inline(__always) package var isStillOpen: Bool { closedAt == nil }

  /// The delivery has ended: its subscriber's code has returned, and the subscriber was let go.
  @inline(__always) package func end(_ ordinal: UInt64) { word.store(ordinal << 2, ordering: .releasing) }

  /// A delivery that begins and ends at once, inside a turn, where nobody closes the gate.
  func pass(_ ordinal: UInt64) { word.store(ordinal << 2, ordering: .releasing) }

  /// Takes the first step back: as if the delivery had never begun. False if a cancel's mark came meanwhile: then the
  /// cancel has found a delivery under way, and says so, and this is the one that has to be.
  ///
  /// If an `end` has wiped the mark, it comes back: nothing is to pass it again, not even up to the second look, where
  /// a reader would take it for under way, and what came before for delivered (rule 2.04).
  package func leave(_ ordinal: UInt64, to reading: Reading) -> Bool {
    let mark = closedAt == nil ? 0 : Reading.cancelled
    return word.compareExchange(
      expected: ordinal << 2 | Reading.underWay, desired: reading.bits | mark, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// There was nobody to deliver to.
  package func retract(_ ordinal: UInt64, to reading: Reading) {
    if !leave(ordinal, to: reading) { word.store(reading.bits | Reading.cancelled, ordering: .releasing) }
  }

  /// Closes the gate and says what was under way; nil if it was closed before. Inside a turn, so that of two cancels
  /// one is first.
  func close(at ordinal: UInt64) -> Reading? {
    guard closedAt == nil else { return nil }
    shut(at: ordinal)
    return mark()
  }

  /// The first step of `close`.
  @inline(__always) package func shut(at ordinal: UInt64) { closed.store(ordinal, ordering: .sequentiallyConsistent) }

  /// The second step of `close`: what is under way. Nothing is to begin after it.
  @inline(__always) package func mark() -> Reading {
    Reading(bits: word.bitwiseOr(Reading.cancelled, ordering: .sequentiallyConsistent).oldValue)
  }
}
