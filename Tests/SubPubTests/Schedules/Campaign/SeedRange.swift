import Foundation

/// Which seeds to try: `STRESS_SEEDS` of them, from `STRESS_SEED` on. With `STRESS_PRINT=1` each is printed before it is
/// tried, so that the last one is known when the process dies of it.
struct SeedRange: Sendable {
  let first: UInt64
  let count: Int
  private let isPrinting: Bool

  init(first: UInt64, count: Int) {
    isPrinting = false
    self.first = first
    self.count = count
  }

  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    #if DEBUG
      let usual = 500
    #else
      let usual = 2_000
    #endif
    first = environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
    isPrinting = environment["STRESS_PRINT"] == "1"
    count = environment["STRESS_SEEDS"].flatMap(Int.init) ?? usual
  }

  var seeds: some Sequence<UInt64> { (0..<UInt64(count)).lazy.map { [first] in first &+ $0 } }

  func announce(_ seed: UInt64, of scenario: Scenario) {
    if isPrinting { FileHandle.standardError.write(Data("\(scenario.name): seed \(seed)\n".utf8)) }
  }
}
