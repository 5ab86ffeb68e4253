import SubPub
import SubPubTesting

/// A clock on which nobody wakes before the test says so, cancelled or not.
final class StubbornClock: Clock {
  typealias Duration = Swift.Duration

  private let clock = ManualClock()
  private let sleeping = Locked<[CheckedContinuation<Void, Never>]>([])

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { .zero }
  var sleepers: Int { sleeping.withLock(\.count) }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    await withCheckedContinuation { continuation in sleeping.withLock { $0.append(continuation) } }
  }

  func wakeAll() {
    let woken = sleeping.withLock { sleeping in
      defer { sleeping = [] }
      return sleeping
    }
    for continuation in woken { continuation.resume() }
  }
}
