package import SubPub
package import SubPubTesting

extension SeededGenerator {
  /// A number from zero up to, but not including, `bound`.
  package mutating func draw(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

  /// One of the choices.
  package mutating func pick<T>(_ choices: [T]) -> T { choices[draw(choices.count)] }
}

extension BufferingPolicy {
  package static func draw(_ random: inout SeededGenerator, largest: Int = 8) -> BufferingPolicy {
    switch random.draw(3) {
    case 0: .unbounded
    case 1: .latest
    default: .newest(1 + random.draw(largest))
    }
  }

  /// Whether every state is delivered while the subscription lasts.
  package var skipsNothing: Bool {
    switch self {
    case .unbounded, .ending: true
    case .latest, .newest, .paced: false
    }
  }

  /// How many states may be pending; nil if any number may.
  package var bound: Int? {
    switch self {
    case .unbounded: nil
    case .latest, .paced: 1
    case .newest(let count), .ending(let count): count
    }
  }
}
