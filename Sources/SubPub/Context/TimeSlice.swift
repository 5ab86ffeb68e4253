import Dispatch

/// The limit on how long a lane may occupy its context: 256 deliveries or about a millisecond.
///
/// So a flood doesn't starve other work on the same context. There is no such limit on the publishing thread.
struct TimeSlice {
  private var deliveriesLeft: Int
  private var start: UInt64 = 0
  /// The number of deliveries between two readings of the clock.
  ///
  /// Reading it costs as much as a delivery, so it is read less and less often: before deliveries 2, 4, 8, and 16, and
  /// from then on before every 16th. A single delivery doesn't read it.
  private var interval = 1
  private var deliveriesUntilReading: Int

  static let deliveries = 256
  private static let nanoseconds: UInt64 = 1_000_000
  private static let longestInterval = 16

  init(for context: DeliveryContext) {
    if context.isImmediate {
      (deliveriesLeft, deliveriesUntilReading) = (.max, .max)
    } else if let fixed = context.fixedTimeSlice {
      (deliveriesLeft, deliveriesUntilReading) = (fixed, .max)
    } else {
      (deliveriesLeft, deliveriesUntilReading) = (Self.deliveries, 2)
    }
  }

  /// Counts one more delivery; returns false if it has to wait for the next time slice.
  @inline(__always)
  mutating func allowsDelivery() -> Bool {
    deliveriesLeft &-= 1
    deliveriesUntilReading &-= 1
    return deliveriesLeft >= 0 && (deliveriesUntilReading > 0 || isTimeLeft())
  }

  @inline(never)
  private mutating func isTimeLeft() -> Bool {
    interval = min(2 * interval, Self.longestInterval)
    deliveriesUntilReading = interval
    let now = DispatchTime.now().uptimeNanoseconds
    if start == 0 { start = now }
    return now - start < Self.nanoseconds
  }
}
