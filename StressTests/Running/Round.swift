/// What a round may draw on.
struct Round: Sendable {
  let seed: UInt64
  let crew: Crew
  let places = Places.shared

  /// For one thread, or one purpose, of the round.
  func random(_ purpose: Int) -> SplitMix { SplitMix(seed: seed &+ UInt64(truncatingIfNeeded: purpose) &* 0x9E37) }
}
