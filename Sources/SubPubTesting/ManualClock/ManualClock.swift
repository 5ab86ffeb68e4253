import SubPub

/// A clock that stands still until the test advances it, for staleness, retries and time-outs without waiting.
///
/// ```swift
/// let clock = ManualClock()
/// let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
/// publisher.updateData(1)
/// clock.advance(by: .seconds(61))
/// #expect(publisher.isStale)
///
/// async let pause: Void = clock.sleep(for: .seconds(5))
/// await clock.waitForSleepers(1)                 // it sleeps now
/// clock.advance(by: .seconds(5))
/// try await pause
/// ```
///
/// Every function may be called from any thread.
public final class ManualClock: Clock {
  /// The standard library's `Duration`, so that this is an `any Clock<Duration>`.
  public typealias Duration = Swift.Duration

  private let state = Locked(Sleepers())

  /// A clock that shows zero.
  public init() {}

  /// How far the clock has been advanced.
  public var now: Instant { state.withLock { $0.now } }

  /// Zero: the clock takes every step that it is told.
  public var minimumResolution: Duration { .zero }

  /// Suspends the task until the clock has been advanced to the deadline; returns at once if it has.
  ///
  /// Throws `CancellationError` as soon as the task is cancelled, and at once if it already is. A task whose
  /// deadline came first returns, also when it is cancelled before it runs again. The tolerance is ignored.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let reason = await Bell.wait { bell in
      let watchers = state.withLock { $0.now >= deadline ? nil : $0.add(bell, until: deadline) }
      watchers?.ringAll()
      return watchers != nil
    } takeDown: { bell in
      state.withLock { $0.remove(bell) }
    }
    if reason == .cancelled { throw CancellationError() }
  }

  /// Moves the clock on, and wakes those whose deadline has come: in the order of their deadlines, and for equal
  /// ones in the order in which they went to sleep.
  ///
  /// The clock moves in one step: whoever wakes finds it at the end of that step, and sleeps anew from there. To see
  /// each of several sleeps made one after the other, advance in as many steps, or use `advanceToNextDeadline()`.
  ///
  /// Returns without waiting until those it woke have run. A negative duration stops the program; time doesn't go
  /// backwards.
  public func advance(by duration: Duration) {
    guard duration >= .zero else {
      fatalError("ManualClock.advance(by:) was given \(duration): time doesn't go backwards")
    }
    state.withLock { $0.advance(to: $0.now.advanced(by: duration)) }.ringAll()
  }

  /// Moves the clock to the earliest deadline of a sleeper and wakes those who wait for it; says false, and moves
  /// nothing, if nobody sleeps.
  ///
  /// With a `ManualExecutor`, the whole of a timed program runs by
  /// `repeat { executor.runAll() } while clock.advanceToNextDeadline()`.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    let due = state.withLock { sleepers in
      sleepers.nextDeadline.map { sleepers.advance(to: $0) }
    }
    due?.ringAll()
    return due != nil
  }

  /// How many tasks sleep. One that was woken or cancelled doesn't count, also when it has not run since.
  public var sleepers: Int { state.withLock { $0.count } }

  /// Returns when at least that many tasks sleep; at once if they do.
  ///
  /// Await it before advancing: a task that has not gone to sleep yet would sleep from the new time on. Suspends the
  /// task and blocks no thread. Returns early when the task is cancelled.
  public func waitForSleepers(_ count: Int) async {
    _ = await Bell.wait { bell in
      state.withLock { $0.watch(bell, count: count) }
    } takeDown: { bell in
      state.withLock { $0.unwatch(bell) }
    }
  }
}

extension ManualClock: CustomStringConvertible {
  /// The time, and how many sleep: `ManualClock at 1.5 seconds, 2 sleeping`.
  public var description: String {
    let (now, count) = state.withLock { ($0.now, $0.count) }
    return "ManualClock at \(now), \(count) sleeping"
  }
}
