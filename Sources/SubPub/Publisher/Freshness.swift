/// Measures the age of data on the publisher's clock.
@usableFromInline
struct Freshness: Sendable {
  let staleAfter: Duration
  /// The time since the publisher was created.
  ///
  /// Foreign code, so never called inside a turn (1.04).
  private let elapsed: @Sendable () -> Duration

  init(staleAfter: Duration, clock: any Clock<Duration>) {
    guard staleAfter >= .zero else {
      stopForMisuse(
        "staleAfter is \(staleAfter), but data can't become stale before it is there: give zero or more, or nil for never"
      )
    }
    self.staleAfter = staleAfter
    elapsed = clock.stopwatch()
  }

  /// Returns when data that now has this age was new.
  @usableFromInline
  func start(age: Duration = .zero) -> Duration { elapsed() - min(age, Self.longest) }

  /// An age that no data has; the difference of any two such ages still fits into a `Duration`.
  private static let longest = Duration.seconds(1 << 60)

  func age(since start: Duration) -> Duration { elapsed() - start }

  /// Returns whether data from that time is stale; false if the time isn't known.
  func isStale(since start: Duration?) -> Bool { start.map { age(since: $0) >= staleAfter } ?? false }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a function that measures the time since this call.
  ///
  /// The function is foreign code, so it is never called inside a turn (1.04).
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
