import SubPub

extension BufferingPolicy {
  static func draw(_ random: inout SplitMix, largest: Int = 8) -> BufferingPolicy {
    switch random.draw(3) {
    case 0: .unbounded
    case 1: .latest
    default: .newest(1 + random.draw(largest))
    }
  }

  /// How many may wait; nil: any number.
  var bound: Int? {
    switch self {
    case .unbounded: nil
    case .latest: 1
    case .newest(let count): count
    }
  }

  /// Without the number.
  var name: String {
    switch self {
    case .unbounded: "unbounded"
    case .latest: "latest"
    case .newest: "newest"
    }
  }
}
