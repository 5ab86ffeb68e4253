/// Waits that grow by a factor, up to a maximum, less a part by chance.
struct Backoff: Sendable {
  private let initial: Duration
  private let factor: Double
  private let maximum: Duration
  private let jitter: Double
  private let seed: UInt64?

  init(initial: Duration, factor: Double, maximum: Duration, jitter: Double, seed: UInt64?) {
    guard initial >= .zero else { stopForMisuse("initial is \(initial): a wait can't be negative; give zero or more") }
    guard maximum >= initial else {
      stopForMisuse("maximum is \(maximum), and initial is \(initial): give a maximum that isn't shorter")
    }
    guard factor >= 1, factor.isFinite else { stopForMisuse("factor is \(factor): waits don't shrink; give 1 or more") }
    guard (0...1).contains(jitter) else {
      stopForMisuse("jitter is \(jitter): it is a part of the wait; give a number from 0 to 1")
    }
    (self.initial, self.factor, self.maximum, self.jitter, self.seed) = (initial, factor, maximum, jitter, seed)
  }

  func delay(after failures: Int) -> Duration {
    var (delay, steps) = (initial, failures - 1)
    while steps > 0, delay < maximum {
      let longer = delay.scaled(by: factor, upTo: maximum)
      // No wait at all, or a factor of one: it never grows, however many failures there are.
      if longer == delay { break }
      (delay, steps) = (longer, steps - 1)
    }
    return jitter > 0 ? delay.scaled(by: 1 - jitter * chance(at: failures), upTo: maximum) : delay
  }

  /// From 0 up to 1.
  private func chance(at attempt: Int) -> Double {
    guard let seed else { return .random(in: 0..<1) }
    // SplitMix64: neighbouring seeds give numbers that have nothing to do with each other.
    var bits = seed &+ UInt64(attempt) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ (bits >> 31)) >> 11) * 0x1p-53
  }
}

extension Duration {
  /// Never more than the limit, also where the product would be no `Duration`.
  fileprivate func scaled(by factor: Double, upTo limit: Duration) -> Duration {
    let (seconds, limitInSeconds) = (self / .seconds(1) * factor, limit / .seconds(1))
    return seconds < limitInSeconds ? self * factor : limit
  }
}
