/// Shortens durations at random, so that programs that do the same thing don't do it at the same moment.
@usableFromInline
struct Jitter: Sendable {
  /// The fraction of a duration by which it is shortened at most.
  private let fraction: Double
  /// Determines the numbers that are drawn; with nil, the system does.
  private let seed: UInt64?

  init(upTo fraction: Double, seed: UInt64?) { (self.fraction, self.seed) = (fraction, seed) }

  /// Returns the duration, shortened by a part that the seed and the number determine.
  func shorten(_ duration: Duration, _ number: UInt64) -> Duration {
    fraction > 0 ? min(duration * (1 - fraction * random(number)), duration) : duration
  }

  /// Returns a number from 0 up to, but not including, 1.
  private func random(_ number: UInt64) -> Double {
    guard let seed else { return .random(in: 0..<1) }
    // SplitMix64: neighboring seeds give unrelated numbers.
    var bits = seed &+ number &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ (bits >> 31)) >> 11) * 0x1p-53
  }
}

extension Jitter? {
  /// Returns for how long data that was new at that time counts as fresh: shortened by the same part for the same time,
  /// and not at all without a jitter, or if the time isn't known.
  func freshTime(_ staleAfter: Duration, since time: Duration?) -> Duration {
    guard let self, let (seconds, attoseconds) = time?.components else { return staleAfter }
    return self.shorten(staleAfter, UInt64(bitPattern: seconds &* 1_000_000_007 &+ attoseconds))
  }
}
