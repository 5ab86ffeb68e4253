/// A random number generator that gives the same numbers for the same seed, on every machine (SplitMix64).
///
/// Don't use it for secrets.
///
/// ```swift
/// var generator = SeededGenerator(seed: 7)
/// let delay = Duration.milliseconds(Int.random(in: 0..<500, using: &generator))
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator for a seed.
  ///
  /// - Parameter seed: The seed. Neighboring seeds give unrelated numbers.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension SeededGenerator {
  /// Returns a number from zero up to, but not including, `bound`.
  ///
  /// The standard library's algorithm may change, and then a seed would give another history.
  mutating func index(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
