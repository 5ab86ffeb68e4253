extension Duration {
  /// A hundred years: a wait of this length, or longer, never ends.
  ///
  /// The system's clocks stop the program if they have to sleep for longer than they can count.
  package static let unlimited = Duration.seconds(100 * 365 * 86_400)

  /// An age that no data has; the difference of any two such ages still fits into a `Duration`.
  static let longestAge = Duration.seconds(1 << 60)

  /// A time before all that a clock shows.
  static let longAgo = Duration.zero - longestAge
}

extension Clock where Duration == Swift.Duration {
  /// Sleeps for a time that somebody has given, which may be longer than any clock can count.
  package func pause(for time: Duration) async throws { try await sleep(for: min(time, .unlimited)) }
}
