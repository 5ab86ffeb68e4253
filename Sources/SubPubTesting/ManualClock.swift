import SubPub

/// A clock that stands still until a test advances it.
///
/// Use it to test staleness, retries, and timeouts without waiting.
///
/// ```swift
/// let clock = ManualClock()
/// let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
/// publisher.updateData(1)
/// clock.advance(by: .seconds(61))
/// #expect(publisher.isStale)
///
/// async let pause: Void = clock.sleep(for: .seconds(5))
/// try await clock.waitForSleepers(1)             // it sleeps now
/// clock.advance(by: .seconds(5))
/// try await pause
/// ```
///
/// Call every function from any thread.
public final class ManualClock: Clock {
  /// The standard library's `Duration`, so the clock is an `any Clock<Duration>`.
  public typealias Duration = Swift.Duration

  private let state = Locked(Sleepers())

  /// Creates a clock that shows zero.
  public init() {}

  /// The time to which the clock has been advanced.
  public var now: Instant { state.withLock { $0.now } }

  /// Zero, because the clock can be advanced by any duration.
  public var minimumResolution: Duration { .zero }

  /// Suspends the task until the clock has been advanced to a deadline; returns at once if it has.
  ///
  /// A task whose deadline has passed returns normally, even if it is cancelled before it runs again.
  ///
  /// - Parameters:
  ///   - deadline: When the sleep ends.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` as soon as the task is cancelled, or at once if it already is.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let reason = await Waiter.wait { waiter in
      let due = state.withLock { $0.now >= deadline ? nil : $0.add(waiter, until: deadline) }
      due?.finishAll()
      return due != nil
    } unregister: { waiter in
      state.withLock { $0.remove(waiter, until: deadline) }
    }
    if reason == .cancelled { throw CancellationError() }
  }

  /// Advances the clock, and wakes the sleeping tasks whose deadline has passed.
  ///
  /// They wake in the order of their deadlines; tasks with the same deadline wake in the order in which they went to
  /// sleep. The clock moves in one step: a task that wakes up finds it at the end of that step, and a further sleep
  /// begins there. If a task sleeps several times in a row, advance in as many steps, or use
  /// ``advanceToNextDeadline()``.
  ///
  /// Returns without waiting until the tasks have run.
  ///
  /// - Parameter duration: The length of the step.
  /// - Precondition: `duration` isn't negative.
  public func advance(by duration: Duration) {
    guard duration >= .zero else {
      stopForMisuse("ManualClock.advance(by:) was given \(duration): time doesn't go backwards")
    }
    state.withLock { $0.advance(to: $0.now.advanced(by: duration)) }.finishAll()
  }

  /// Advances the clock to the earliest deadline of a sleeping task, and wakes the tasks with that deadline.
  ///
  /// With a ``ManualExecutor``, this line runs a whole timed program:
  /// `repeat { executor.runAll() } while clock.advanceToNextDeadline()`.
  ///
  /// - Returns: False if no task is sleeping; the clock doesn't move then.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    let due = state.withLock { sleepers in
      sleepers.nextDeadline.map { sleepers.advance(to: $0) }
    }
    due?.finishAll()
    return due != nil
  }

  /// The number of sleeping tasks.
  ///
  /// A task that was woken or cancelled doesn't count, even if it hasn't run since.
  public var sleepers: Int { state.withLock { $0.count } }

  /// The deadlines of the sleeping tasks, the earliest first.
  ///
  /// They tell sleeping tasks apart. With `timeout:` and `retry:`, an attempt sleeps until its time is up, and after a
  /// failure the load sleeps until the next attempt:
  ///
  /// ```swift
  /// let clock = ManualClock()
  /// let policy = RetryPolicy.exponential(maxAttempts: 2, initial: .seconds(1), maximum: .seconds(1))
  /// let manager = LoadingManager(timeout: .seconds(30), retry: policy, clock: clock) { try await endpoint.news() }
  /// manager.refreshIfNeeded()
  /// try await clock.waitForSleepers(1)             // clock.deadlines: [30.0 seconds], an attempt is under way
  /// clock.advance(by: .seconds(30))                // its time is up
  /// try await clock.waitForSleepers(1)             // clock.deadlines: [31.0 seconds], the pause before the next one
  /// ```
  ///
  /// A task that was woken or cancelled has none, even if it hasn't run since.
  public var deadlines: [Instant] { state.withLock { $0.deadlines } }

  /// Waits until at least a number of tasks are sleeping.
  ///
  /// Await it before you advance the clock: a task that goes to sleep later sleeps from the new time on. Suspends the
  /// task and blocks no thread.
  ///
  /// An attempt that fails before its time is up is still asleep for a moment. To wait for the pause behind it, name
  /// the deadline: `try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(1)))`.
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - deadline: Counts only tasks that sleep until then; nil for all.
  ///   - limit: How long to wait, on the continuous clock.
  ///   - fileID: The file that a ``WaitTimeout`` names.
  ///   - line: The line that a ``WaitTimeout`` names.
  /// - Throws: ``WaitTimeout`` at the limit, which says who sleeps until when; `CancellationError` if the task is
  ///   cancelled.
  public func waitForSleepers(
    _ count: Int, until deadline: Instant? = nil, within limit: Duration = .seconds(10), fileID: String = #fileID,
    line: Int = #line
  ) async throws {
    let text = Expectation.count(count, "sleeping task") + (deadline.map { " until \($0)" } ?? "")
    try await Expectation(text, within: limit, fileID: fileID, line: line).wait { waiter in
      state.withLock { $0.watch(waiter, count: count, until: deadline) }
    } unregister: { waiter in
      state.withLock { $0.unwatch(waiter) }
    } orThrow: { expectation in
      state.withLock { $0.count(until: deadline) >= count ? nil : WaitTimeout(expectation, $0.description) }
    }
  }
}

extension ManualClock {
  /// A point in the time of a manual clock.
  ///
  /// Instants of different clocks are unrelated.
  public struct Instant: InstantProtocol {
    /// How far the clock has been advanced since it was created.
    public let sinceStart: Duration

    /// Returns a later instant, or an earlier one if the duration is negative.
    ///
    /// - Parameter duration: The time from this instant to the result.
    /// - Returns: The other instant.
    public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }

    /// Returns the time from this instant to another one.
    ///
    /// - Parameter other: The other instant.
    /// - Returns: The duration, which is negative if the other instant is earlier.
    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

    /// Returns whether the first instant is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
  }
}

extension ManualClock.Instant: CustomStringConvertible {
  /// The time since the clock's start: `1.5 seconds`.
  public var description: String { sinceStart.description }
}

extension ManualClock: CustomStringConvertible {
  /// The time and the number of sleeping tasks: `ManualClock at 1.5 seconds, 2 sleeping`.
  public var description: String {
    let (now, count) = state.withLock { ($0.now, $0.count) }
    return "ManualClock at \(now), \(count) sleeping"
  }
}

/// The time of a manual clock, and the tasks that sleep on it.
///
/// Decides only: the caller finishes the waits.
private struct Sleepers {
  private(set) var now = ManualClock.Instant(sinceStart: .zero)
  /// Ordered by deadline; those with the same deadline are in the order in which they went to sleep.
  private var asleep: [(deadline: ManualClock.Instant, waiter: Waiter)] = []
  private var watches: [(goal: Int, deadline: ManualClock.Instant?, waiter: Waiter)] = []

  var count: Int { asleep.count }
  var nextDeadline: ManualClock.Instant? { asleep.first?.deadline }
  var deadlines: [ManualClock.Instant] { asleep.map(\.deadline) }

  /// Who sleeps until when: `at 0.0 seconds, 2 tasks sleep: until 1.0 seconds, 30.0 seconds`.
  var description: String {
    if asleep.isEmpty { return "at \(now), no task sleeps" }
    let listed = deadlines.prefix(Self.shown).map(\.description).joined(separator: ", ")
    return "at \(now), \(Expectation.count(count, "task")) \(count == 1 ? "sleeps" : "sleep"): until \(listed)"
      + (count > Self.shown ? ", …" : "")
  }

  private static let shown = 10

  /// Adds a sleeping task, unless it was cancelled, and returns the waiters for this number of sleepers.
  mutating func add(_ waiter: Waiter, until deadline: ManualClock.Instant) -> [Waiter] {
    if waiter.isOver { return [] }
    asleep.insert((deadline, waiter), at: place(of: waiter, until: deadline))
    let due = watches.filter { count(until: $0.deadline) >= $0.goal }
    watches.removeAll { watch in due.contains { $0.waiter === watch.waiter } }
    return due.map(\.waiter)
  }

  /// Removes a task that no longer sleeps, if it is present.
  mutating func remove(_ waiter: Waiter, until deadline: ManualClock.Instant) {
    let place = place(of: waiter, until: deadline)
    if place < asleep.count, asleep[place].waiter === waiter { asleep.remove(at: place) }
  }

  private func place(of waiter: Waiter, until deadline: ManualClock.Instant) -> Int {
    asleep.lowerBound { ($0.deadline, $0.waiter.number) < (deadline, waiter.number) }
  }

  /// Sets the clock, and removes and returns the tasks whose deadline has passed, the earliest first.
  mutating func advance(to instant: ManualClock.Instant) -> [Waiter] {
    now = instant
    let due = asleep.prefix { $0.deadline <= instant }.map(\.waiter)
    asleep.removeFirst(due.count)
    return due
  }

  /// The number of tasks that sleep until the deadline, or of all with nil.
  func count(until deadline: ManualClock.Instant?) -> Int {
    guard let deadline else { return count }
    return asleep.count { $0.deadline == deadline }
  }

  /// Adds a waiter for a number of sleepers; returns false if there are already as many.
  mutating func watch(_ waiter: Waiter, count goal: Int, until deadline: ManualClock.Instant?) -> Bool {
    if count(until: deadline) >= goal { return false }
    if !waiter.isOver { watches.append((goal, deadline, waiter)) }
    return true
  }

  /// Removes a waiter for sleepers, if it is present.
  mutating func unwatch(_ waiter: Waiter) { watches.removeAll { $0.waiter === waiter } }
}
