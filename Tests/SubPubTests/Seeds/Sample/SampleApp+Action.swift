import SubPubTesting

extension SampleApp {
  /// What somebody in front of a screen does.
  enum Action: Hashable, Sendable {
    case appear, pull, force, nextPage, leave, logout

    static func draw(_ random: inout SeededGenerator) -> Action {
      switch random.draw(40) {
      case 0..<10: .appear
      case 10..<18: .pull
      case 18..<22: .force
      case 22..<29: .nextPage
      case 29..<38: .leave
      default: .logout
      }
    }
  }
}
