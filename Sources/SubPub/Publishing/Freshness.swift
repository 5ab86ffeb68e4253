/// Tells how old data is, on the publisher's clock.
@usableFromInline
struct Freshness: Sendable {
  @usableFromInline let staleAfter: Duration
  /// How long ago the publisher was made. Foreign code: never called inside a turn (rule 1.04).
  private let elapsed: @Sendable () -> Duration

  init(staleAfter: Duration, clock: any Clock<Duration>) {
    guard staleAfter >= .zero else {
      stopForMisuse(
        "staleAfter is \(staleAfter): data can't become stale before it is there; give zero or more, or nil for never")
    }
    self.staleAfter = staleAfter
    elapsed = clock.stopwatch()
  }

  /// Since when data that is `age` old counts as fresh.
  @usableFromInline
  func start(age: Duration = .zero) -> Duration { elapsed() - min(age, Self.longest) }

  /// Older than the universe; a difference of any two such is still a `Duration`.
  private static let longest = Duration.seconds(1 << 60)

  func age(since start: Duration) -> Duration { elapsed() - start }

  /// Nil: it isn't known how old the data is.
  func isStale(since start: Duration?) -> Bool { start.map { age(since: $0) >= staleAfter } ?? false }
}
