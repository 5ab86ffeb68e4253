import Foundation

/// The settings that the environment gives.
struct StressSettings: Sendable, CustomStringConvertible {
  /// `STRESS_SECONDS`: the time for the whole target.
  let seconds: Double
  /// `STRESS_SEED`: repeats every choice of a run, but not how the threads are scheduled.
  let seed: UInt64
  /// `STRESS_THREADS`: how many threads a round starts.
  let threads: Int
  /// `STRESS_LARGE=1`: tests the limits, too.
  let isLarge: Bool

  static let current = StressSettings()

  private init() {
    let environment = ProcessInfo.processInfo.environment
    seconds = environment["STRESS_SECONDS"].flatMap(Double.init) ?? Double(TestRounds.of(2, full: 10))
    seed = environment["STRESS_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...UInt64(UInt32.max))
    threads = max(2, environment["STRESS_THREADS"].flatMap(Int.init) ?? 4)
    isLarge = environment["STRESS_LARGE"] == "1"
  }

  var description: String { "STRESS_SEED=\(seed) STRESS_SECONDS=\(seconds) STRESS_THREADS=\(threads)" }
}
