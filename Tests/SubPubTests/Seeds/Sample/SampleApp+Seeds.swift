import Foundation

extension SampleApp {
  /// Which runs to make: `STRESS_SEEDS` of them, from `STRESS_SEED` on.
  enum Seeds {
    static var current: Range<UInt64> {
      #if DEBUG
        let usual: UInt64 = 500
      #else
        let usual: UInt64 = 1_000
      #endif
      let environment = ProcessInfo.processInfo.environment
      let first = environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
      return first..<first + (environment["STRESS_SEEDS"].flatMap(UInt64.init) ?? usual)
    }
  }
}
