import SubPub

/// Choices that a scenario leaves to the seed.
extension Simulation {
  func bounded() -> BufferingPolicy {
    draw(3) == 0 ? .latest : .newest(1 + draw(3))
  }
}
