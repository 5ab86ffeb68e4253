/// How old data is, on the publisher's clock.
@usableFromInline
struct Freshness: Sendable {
  let staleAfter: Duration
  /// How long ago the publisher was made. Foreign code, so never called inside a turn (1.04).
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

  /// Since when data of that age has been fresh.
  @usableFromInline
  func start(age: Duration = .zero) -> Duration { elapsed() - min(age, Self.longest) }

  /// Older than the universe. The difference of any two such ages is still a `Duration`.
  private static let longest = Duration.seconds(1 << 60)

  func age(since start: Duration) -> Duration { elapsed() - start }

  /// False if the age isn't known.
  func isStale(since start: Duration?) -> Bool { start.map { age(since: $0) >= staleAfter } ?? false }
}

extension Clock where Duration == Swift.Duration {
  /// Measures how much time has passed since this call. Foreign code, so never called inside a turn (1.04).
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
