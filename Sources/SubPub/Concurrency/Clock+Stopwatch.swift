extension Clock where Duration == Swift.Duration {
  /// Returns a function that measures the time since this call.
  ///
  /// The function is foreign code, so it is never called inside a turn (1.04).
  package func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
