extension Clock where Duration == Swift.Duration {
  /// Returns a function that measures the time since this call.
  ///
  /// The function is foreign code, so it is never called inside a turn (1.04).
  package func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}

extension Duration {
  /// Returns how much of a wait of this length is left when a time has passed.
  ///
  /// Never more than the whole wait, even if the clock was set back in the meantime.
  package func left(after elapsed: Duration) -> Duration { min(self, max(.zero, self - elapsed)) }
}
