import SubPub
import SubPubTesting

extension PublishingTests {
  /// A clock that counts how often it is read, and tells somebody.
  final class CountingClock: Clock {
    typealias Duration = Swift.Duration

    private struct State {
      var readings = 0
      var listener: (@Sendable () -> Void)?
    }

    private let clock = ManualClock()
    private let state = Locked(State())

    var readings: Int { state.withLock(\.readings) }

    func whenRead(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

    var now: ManualClock.Instant {
      let listener = state.withLock { state in
        state.readings += 1
        return state.listener
      }
      listener?()
      return clock.now
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }
}
