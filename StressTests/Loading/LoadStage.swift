/// A manager under stress, whatever it loads.
protocol LoadStage: Sendable {
  /// One thing done to it; returns at once.
  func act(_ random: inout SplitMix)
  /// Brings it to rest, and says what has happened.
  func finish() async -> LoadCourse
}
