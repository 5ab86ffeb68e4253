import SubPubTesting

/// A clock on which nobody can sleep.
struct BrokenClock: Clock {
  typealias Duration = Swift.Duration
  struct Broken: Error {}

  private let clock = ManualClock()

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws { throw Broken() }
}
