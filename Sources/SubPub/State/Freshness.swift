/// Measures the age of data, on the clock of its publisher or manager.
@usableFromInline
final class Freshness: Sendable {
  /// How long data counts as fresh, at the longest; nil if it never becomes stale.
  let staleAfter: Duration?
  /// Shortens that, by another part whenever data is new; nil if all data counts as fresh for as long.
  let jitter: Jitter?
  /// The time since the publisher was created.
  ///
  /// Foreign code, so never called inside a turn (1.04).
  private let elapsed: @Sendable () -> Duration

  init(staleAfter: Duration?, jitter: Jitter? = nil, clock: any Clock<Duration>) {
    if let staleAfter, staleAfter < .zero {
      stopForMisuse(
        "staleAfter is \(staleAfter), but data can't become stale before it is there: give zero or more, or nil for never"
      )
    }
    (self.staleAfter, self.jitter) = (staleAfter, jitter)
    elapsed = clock.stopwatch()
  }

  /// Returns the time at which data of this age was new.
  @usableFromInline
  func start(age: Duration = .zero) -> Duration { elapsed() - min(age, .longestAge) }

  /// Returns how old data from that time is; zero if the clock was set back since.
  func age(since start: Duration) -> Duration { max(elapsed() - start, .zero) }

  /// Returns whether data from that time is stale; false if the time isn't known.
  func isStale(since start: Duration?) -> Bool {
    guard let staleAfter, let start else { return false }
    return age(since: start) >= jitter.freshTime(staleAfter, since: start)
  }
}
