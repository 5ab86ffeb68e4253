import SubPub
import SubPubTesting

/// A clock whose `now` is foreign code.
final class StruckClock: Clock {
  typealias Duration = Swift.Duration

  private let clock = ManualClock()
  private let listener = Locked<(@Sendable () -> Void)?>(nil)

  func whenRead(_ body: @escaping @Sendable () -> Void) { listener.withLock { $0 = body } }

  var now: ManualClock.Instant {
    listener.withLock { $0 }?()
    return clock.now
  }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
