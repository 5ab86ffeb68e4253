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
    fileprivate var isCancelled: Bool { bits & Self.cancelled != 0 }
    fileprivate static let cancelled: UInt64 = 1
    fileprivate static let underWay: UInt64 = 2
  }

  /// Open, with everything up to `ordinal` behind it.
  init(after ordinal: UInt64) { word = Atomic(ordinal << 2) }

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
  /// A cancel that came while a delivery was under way set its bit in the word, and the plain store of `end` may have
  /// wiped it. Therefore the second look, at what `end` never writes. Both are sequentially consistent: a begin whose
  /// look comes before the cancel's store is one that the cancel may still find under way when it returns; any
  /// later one sees the store.
  @inline(__always) package func begin(_ ordinal: UInt64, from reading: Reading) -> Bool {
    guard enter(ordinal, from: reading) else { return false }
    guard closedAt == nil else {
      retract(to: reading)
      return false
    }
    return true
  }

  /// The first step of `begin`.
  @inline(__always) package func enter(_ ordinal: UInt64, from reading: Reading) -> Bool {
    guard !reading.isCancelled else { return false }
    return word.compareExchange(
      expected: reading.bits, desired: ordinal << 2 | Reading.underWay, ordering: .sequentiallyConsistent
    ).exchanged
  }

  /// The delivery has ended: its subscriber's code has returned, and the subscriber was let go.
  @inline(__always) package func end(_ ordinal: UInt64) { word.store(ordinal << 2, ordering: .releasing) }

  /// A delivery that begins and ends at once, inside a turn, where nobody closes the gate.
  func pass(_ ordinal: UInt64) { word.store(ordinal << 2, ordering: .releasing) }

  /// There was nobody to deliver to: as if it had never begun.
  ///
  /// A cancel's mark stays, and comes back if the end of a delivery wiped it: no later state is to pass this far, as
  /// to a reader it would be one that is under way, and this one would count as delivered (rule 2.04).
  package func retract(to reading: Reading) {
    // Only a cancel changes the word meanwhile, and only its mark.
    let entered = word.load(ordering: .relaxed) & ~Reading.cancelled
    word.bitwiseXor(entered ^ reading.bits, ordering: .releasing)
    if closedAt != nil { word.bitwiseOr(Reading.cancelled, ordering: .releasing) }
  }

  /// Closes the gate and says what was under way; nil if it was closed before. Inside a turn, so that of two cancels
  /// one is first.
  func close(at ordinal: UInt64) -> Reading? {
    guard closedAt == nil else { return nil }
    let found = mark()
    shut(at: ordinal)
    return found
  }

  /// The first step of `close`: what was under way.
  @inline(__always) package func mark() -> Reading {
    Reading(bits: word.bitwiseOr(Reading.cancelled, ordering: .sequentiallyConsistent).oldValue)
  }

  /// The second step of `close`.
  @inline(__always) package func shut(at ordinal: UInt64) { closed.store(ordinal, ordering: .sequentiallyConsistent) }
}
