package import Synchronization

/// What a lane is doing, in one atomic word, so that a drain can end without a turn.
///
/// Everything is written inside turns, but for one step: the draining thread goes from "draining, and nothing came"
/// to idle by a compare-and-swap. So in a turn "idle" is certain, and "draining" has to be swapped to be used.
package struct LaneSignal: ~Copyable {
  package let bits = Atomic<UInt8>(Bits.idle)

  private enum Bits {
    static let idle: UInt8 = 0
    /// Woken, or waiting for something that will wake it.
    static let scheduled: UInt8 = 1
    static let draining: UInt8 = 2
    /// While draining: more is pending.
    static let more: UInt8 = 4
    /// While draining: look at the lane before the next delivery.
    static let attention: UInt8 = 8
    /// While draining: look at the lane once the states are served for which somebody waits.
    static let awaited: UInt8 = 16
  }

  // Reading idle acquires what the drain before did to the lane's entries.
  @inline(__always) package var isIdle: Bool { bits.load(ordering: .acquiring) == Bits.idle }
  package var isScheduled: Bool { bits.load(ordering: .acquiring) == Bits.scheduled }
  @inline(__always) package var needsAttention: Bool { bits.load(ordering: .acquiring) & Bits.attention != 0 }

  /// Somebody waits for the drain to get somewhere.
  @inline(__always) var isAwaited: Bool { bits.load(ordering: .acquiring) & Bits.awaited != 0 }

  /// In a turn, when idle or draining by the caller: the lane waits to be drained.
  func schedule() { bits.store(Bits.scheduled, ordering: .releasing) }

  /// In a turn, when idle, or when the caller drains: drains, with nothing to look at.
  @inline(__always) func drain() { bits.store(Bits.draining, ordering: .releasing) }

  /// In a turn of the draining thread: nothing is left.
  package func rest() { bits.store(Bits.idle, ordering: .releasing) }

  /// In a turn: tells a draining thread that more is pending. False when it has just ended.
  @inline(__always) func noteMore() -> Bool { note(Bits.more) }

  /// In a turn: asks a draining thread to look before its next delivery. False when there is none.
  package func raise() -> Bool { note(Bits.attention) }

  /// In a turn: tells a draining thread that somebody waits for it to get somewhere. False when there is none.
  func noteAwaited() -> Bool { note(Bits.awaited) }

  /// In a turn of the draining thread, or when nobody drains: everything that was asked for has been seen to.
  func clearRequests() {
    let seen = bits.load(ordering: .relaxed)
    let left = seen & ~(Bits.attention | Bits.awaited)
    if left != seen { bits.store(left, ordering: .releasing) }
  }

  /// Without a turn, on the draining thread: ends if nothing came meanwhile. Releases what the drain did.
  @inline(__always) package func finish() -> Bool {
    bits.compareExchange(expected: Bits.draining, desired: Bits.idle, ordering: .acquiringAndReleasing).exchanged
  }

  private func note(_ bit: UInt8) -> Bool {
    var seen = bits.load(ordering: .acquiring)
    while seen & Bits.draining != 0 {
      if seen & bit != 0 { return true }
      let (exchanged, original) = bits.compareExchange(
        expected: seen, desired: seen | bit, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      seen = original
    }
    return false
  }
}
