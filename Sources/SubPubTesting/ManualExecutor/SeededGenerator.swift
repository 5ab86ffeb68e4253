/// Random numbers that are the same for the same seed, on every machine and in every process (SplitMix64).
///
/// A value, about a nanosecond a number. Not for secrets.
///
/// ```swift
/// var generator = SeededGenerator(seed: 7)
/// let delay = Duration.milliseconds(Int.random(in: 0..<500, using: &generator))
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts a sequence of its own for each seed; neighbouring seeds have nothing in common.
  public init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension SeededGenerator {
  /// A number from zero up to, and without, `bound`. Not the standard library's: that one may change its ways.
  mutating func index(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
