import Dispatch

/// How long a drain may hold its context: 256 deliveries or a millisecond, so that a flood doesn't starve what else
/// the context has to do. The publishing thread has no such limit, and a context of tests none of time.
struct Budget {
  private var left: Int
  private var started: UInt64 = 0
  private let isTimed: Bool

  private static let deliveries = 256
  private static let nanoseconds: UInt64 = 1_000_000
  /// Reading the clock costs as much as a delivery; a lone delivery doesn't read it.
  private static let deliveriesForEachReading = 8

  init(of delivery: Delivery) {
    if case .immediate = delivery.context { left = .max } else { left = Self.deliveries }
    isTimed = delivery.context.isTimed
  }

  /// Counts one more visit; false when it has to wait for the next time.
  @inline(__always)
  mutating func allowsAnother() -> Bool {
    left &-= 1
    let readsClock = left % Self.deliveriesForEachReading == Self.deliveriesForEachReading - 2
    return left >= 0 && (!readsClock || isInTime())
  }

  @inline(never)
  private mutating func isInTime() -> Bool {
    guard isTimed else { return true }
    let now = DispatchTime.now().uptimeNanoseconds
    if started == 0 { started = now }
    return now - started < Self.nanoseconds
  }
}
