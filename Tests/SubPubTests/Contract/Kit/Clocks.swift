import SubPub
import SubPubTesting

/// A clock that the test sets, also back; it counts its readings, and calls a closure at each of them.
final class CountingClock: Clock {
  typealias Duration = Swift.Duration
  struct Broken: Error {}

  private struct State {
    var readings = 0
    var offset = Duration.zero
    var failures: Int
    var listener: (@Sendable () -> Void)?
  }

  let manual = ManualClock()
  /// Whether a sleep lasts until the clock shows a time, rather than for a time.
  private let waitsForTime: Bool
  private let state: Locked<State>

  /// Creates a clock whose first sleeps may fail.
  init(waitsForTime: Bool = true, failures: Int = 0) {
    self.waitsForTime = waitsForTime
    state = Locked(State(failures: failures))
  }

  var readings: Int { state.withLock(\.readings) }

  func jump(by duration: Duration) { state.withLock { $0.offset += duration } }

  func whenRead(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

  var now: ManualClock.Instant {
    let (offset, listener) = state.withLock { state in
      state.readings += 1
      return (state.offset, state.listener)
    }
    listener?()
    return manual.now.advanced(by: offset)
  }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    let (fails, offset) = state.withLock { state in
      state.failures -= 1
      return (state.failures >= 0, state.offset)
    }
    if fails { throw Broken() }
    try await manual.sleep(until: waitsForTime ? deadline : deadline.advanced(by: .zero - offset))
  }
}

/// A clock whose every sleep fails.
struct BrokenClock: Clock {
  typealias Duration = Swift.Duration
  struct Broken: Error {}

  private let clock = ManualClock()

  var now: ManualClock.Instant { clock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws { throw Broken() }
}

/// A clock whose sleepers wake when the test says so, cancelled or not.
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
