import SubPub

/// Choices that a scenario leaves to the seed.
extension Simulation {
  func bounded() -> BufferingPolicy {
    switch draw(3) {
    case 0: .latest
    case 1: .newest(1 + draw(3))
    default: .oldest(1 + draw(3))
    }
  }
}
