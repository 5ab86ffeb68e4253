import Foundation

/// Which seeds to try: `STRESS_SEEDS` of them, from `STRESS_SEED` on.
struct SeedRange: Sendable {
  let first: UInt64
  let count: Int

  init(first: UInt64, count: Int) {
    self.first = first
    self.count = count
  }

  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    #if DEBUG
      let usual = 500
    #else
      let usual = 20_000
    #endif
    first = environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
    count = environment["STRESS_SEEDS"].flatMap(Int.init) ?? usual
  }

  var seeds: some Sequence<UInt64> { (0..<UInt64(count)).lazy.map { [first] in first &+ $0 } }
}
