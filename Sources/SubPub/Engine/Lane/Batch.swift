import Dispatch

/// The states that the serving thread has taken to serve between two turns.
struct Batch {
  /// States that still have to be served; they count as pending (2.04).
  var queue = StateQueue()
  /// The state whose round is under way.
  var current: QueuedState?
  /// The slot of the subscription that the round visits next.
  var slot = 0
  var snapshot: SubscriptionList.Snapshot?
  /// The slots of subscriptions whose subscribers were found dead.
  var dead: [Int] = []
  /// Whether to wait a little before the next turn, because states arrive faster than the lane can take them.
  var waitsForNewer = false

  /// Advances to the next state; returns false when all states are served.
  mutating func startRound() -> Bool {
    slot = queue.firstSlot
    current = queue.popFirst()
    return current != nil
  }
}

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
    if case .immediate = context.kind {
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

/// A wait that keeps the thread.
struct Spin {
  let nanoseconds: UInt64

  /// Two microseconds before the next turn of a lane that can't keep up.
  ///
  /// While states arrive faster than a lane delivers them, each turn of the lane competes with the publishing threads
  /// for the registry. If the lane delivers only the newest state, fewer turns cost it nothing, and leave the registry
  /// to the publishing threads.
  static let forNewerStates = Spin(nanoseconds: 2_000)

  func run(at point: SchedulingPoint) {
    point.reach(.spin(nanoseconds: nanoseconds))
    let start = DispatchTime.now().uptimeNanoseconds
    while DispatchTime.now().uptimeNanoseconds - start < nanoseconds {}
  }
}
