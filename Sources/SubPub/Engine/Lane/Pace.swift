import Dispatch

/// The pace of a lane whose only subscription leaves some time between its deliveries (2.12).
final class Pace: Sendable {
  let interval: Duration
  /// The publisher's clock; nil for the continuous one.
  private let clock: (any Clock<Duration>)?
  /// Measures the time since the last delivery has begun.
  private let sinceBegin = Locked<(@Sendable () -> Duration)?>(nil)
  /// The wait for the next delivery, on a clock.
  private let waiting = Locked<Task<Void, Never>?>(nil)

  init(_ interval: Duration, _ clock: (any Clock<Duration>)?) { (self.interval, self.clock) = (interval, clock) }

  deinit { waiting.withLock { $0 }?.cancel() }

  /// Notes that a delivery begins; reads the clock, so not inside a turn.
  private func noteBeginning() {
    var stopwatch: (@Sendable () -> Duration)? = clock?.stopwatch() ?? ContinuousClock().stopwatch()
    // The former one is released outside the lock.
    sinceBegin.withLock { swap(&$0, &stopwatch) }
  }

  /// Returns the subscriber's code, which also notes when it begins.
  func deliver(_ deliver: @escaping Deliver) -> Deliver {
    return { [self] subscriber, state in
      noteBeginning()
      deliver(subscriber, state)
    }
  }

  /// How long the lane has to rest after a delivery; nil if there was none since the last call.
  func takeRest() -> Duration? { sinceBegin.withLock { $0.take() }.map { max(.zero, interval - $0()) } }

  /// Calls `body` when a time has passed.
  func wait(for time: Duration, then body: @escaping @Sendable () -> Void) {
    if let clock {
      let task = Task.detached {
        do { try await clock.sleep(for: time) } catch { /* A clock that fails must not hold up the state. */  }
        body()
      }
      waiting.withLock { $0 = task }
    } else {
      // Not a task: subscribers may block all threads of Swift's pool.
      DispatchQueue.withOwnThread().asyncAfter(deadline: .now() + DispatchTimeInterval(time), execute: body)
    }
  }
}

extension Lane {
  /// Lets the lane go on when a time has passed; the turn before has counted the rest.
  ///
  /// Doesn't keep the lane, which may have no subscription any more long before that.
  func rest(for time: Duration) {
    pace?.wait(for: time) { [weak self] in
      guard let self else { return }
      registry.perform { state, effects in
        if inTurn.index >= 0 { state.withLane(self, &effects) { countDown(&$0) } }
      }
    }
  }
}

extension DispatchTimeInterval {
  /// Rounds up, and clamps to what Dispatch can wait for.
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let rest = (attoseconds + 999_999_999) / 1_000_000_000
    self =
      nanoseconds.overflow ? .nanoseconds(.max / 4) : .nanoseconds(Int(min(nanoseconds.partialValue, .max / 4) + rest))
  }
}
