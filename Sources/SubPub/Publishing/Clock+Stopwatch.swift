extension Clock where Duration == Swift.Duration {
  /// Tells how much time has passed since this call. Foreign code: never called inside a turn (rule 1.04).
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
