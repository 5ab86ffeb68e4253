import Dispatch

/// How long a drain may hold its context: 256 deliveries or about a millisecond, so that a flood doesn't starve what else
/// the context has to do. The publishing thread has no such limit, and a context of tests none of time.
struct Budget {
  private var left: Int
  private var started: UInt64 = 0
  /// Reading the clock costs as much as a delivery, so it is read more and more rarely: before the 2nd delivery, the 4th,
  /// the 8th, the 16th, and from then on before each 16th. A lone delivery doesn't read it.
  private var interval = 1
  private var untilReading: Int

  private static let deliveries = 256
  private static let nanoseconds: UInt64 = 1_000_000
  private static let longestInterval = 16

  init(of delivery: Delivery) {
    if case .immediate = delivery.context { left = .max } else { left = Self.deliveries }
    untilReading = delivery.context.isTimed ? 2 : .max
  }

  /// Counts one more visit; false when it has to wait for the next time.
  @inline(__always)
  mutating func allowsAnother() -> Bool {
    left &-= 1
    untilReading &-= 1
    return left >= 0 && (untilReading > 0 || isInTime())
  }

  @inline(never)
  private mutating func isInTime() -> Bool {
    interval = min(2 * interval, Self.longestInterval)
    untilReading = interval
    let now = DispatchTime.now().uptimeNanoseconds
    if started == 0 { started = now }
    return now - started < Self.nanoseconds
  }
}
