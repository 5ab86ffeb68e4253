import Foundation

/// What the environment asks of a stress run: `STRESS_SECONDS` (for each workload), `STRESS_SEED`, `STRESS_THREADS`.
struct StressSettings: Sendable {
  let seconds: Double
  let seed: UInt64
  let threads: Int

  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    seconds = environment["STRESS_SECONDS"].flatMap(Double.init) ?? 5
    seed = environment["STRESS_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1...UInt64(UInt32.max))
    threads = environment["STRESS_THREADS"].flatMap(Int.init) ?? 4
  }
}
