import Dispatch

/// The pace of a lane whose only subscription leaves some time between its deliveries (2.12).
final class Pace: Sendable {
  let interval: Duration
  /// The publisher's clock; nil for the continuous one.
  private let clock: (any Clock<Duration>)?
  /// Measures the time since the last delivery has begun.
  private let sinceBegin = Locked<(@Sendable () -> Duration)?>(nil)
  /// The wait for the next delivery; nil once there will be none.
  private let pause = Locked<Pause?>(Pause())

  init(_ interval: Duration, _ clock: (any Clock<Duration>)?) { (self.interval, self.clock) = (interval, clock) }

  /// Notes that a delivery begins; reads the clock, so not inside a turn.
  private func noteBeginning() {
    var stopwatch: (@Sendable () -> Duration)? = clock?.stopwatch() ?? ContinuousClock().stopwatch()
    // The former one is released outside the lock.
    sinceBegin.withLock { swap(&$0, &stopwatch) }
  }

  /// Returns the subscriber's code, which also notes when it begins.
  func wrapping(_ deliver: @escaping Deliver) -> Deliver {
    return { [self] subscriber, state in
      noteBeginning()
      deliver(subscriber, state)
    }
  }

  /// How long the lane has to rest after a delivery; nil if there was none since the last call.
  func takeRest() -> Duration? { sinceBegin.withLock { $0.take() }.map { interval.left(after: $0()) } }

  /// Calls `body` when a time has passed, unless the pace has ended by then.
  func wait(for time: Duration, then body: @escaping @Sendable () -> Void) {
    let new = Pause()
    // Stored before it begins: as soon as it is over, another thread may store the next one. The former one is released
    // outside the lock.
    let former = pause.withLock { pause in
      defer { if pause != nil { pause = new } }
      return pause
    }
    if former != nil { new.begin(time, clock, body) }
  }

  /// Ends the wait, because the lane has no subscription any more; outside every turn.
  func end() { pause.withLock { $0.take() } }
}

/// A wait that ends, without the call that would follow, when it is released.
///
/// Otherwise, the timer would stay for as long as the wait was to take.
private final class Pause: Sendable {
  private let task = CancellableTask()
  private let timer = Locked<(any DispatchSourceTimer)?>(nil)

  deinit {
    task.cancel()
    timer.withLock { $0 }?.cancel()
  }

  /// Calls `body` when a time has passed.
  func begin(_ time: Duration, _ clock: (any Clock<Duration>)?, _ body: @escaping @Sendable () -> Void) {
    if let clock {
      task.start(on: nil) {
        // A clock that fails must not hold up the state.
        try? await clock.pause(for: time)
        body()
      }
      return
    }
    // Not a task: subscribers may block all threads of Swift's pool.
    let new = DispatchSource.makeTimerSource(queue: .withOwnThread())
    new.setEventHandler(handler: body)
    new.schedule(deadline: .now() + DispatchTimeInterval(time))
    timer.withLock { $0 = new }
    new.activate()
  }
}

extension Lane {
  /// Lets the lane go on when a time has passed; the turn before has counted the rest.
  ///
  /// Doesn't keep the lane, which may have no subscription any more long before that.
  func rest(for time: Duration) {
    pace?.wait(for: time) { [weak self] in
      guard let self else { return }
      registry.perform { state, effects in _ = state.withLane(ifPresent: self, &effects) { countDown(&$0) } }
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
