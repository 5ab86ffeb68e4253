package import SubPub

/// A value to publish: a number, and code that runs when the value is compared and when its last copy is released.
package struct Payload: Sendable, Equatable {
  package let number: UInt32
  /// When it was made: before it was published.
  package let made = ContinuousClock.now
  private let hooks: Hooks?

  private final class Hooks: Sendable {
    let compare: @Sendable () -> Void
    let release: @Sendable () -> Void

    init(_ compare: @escaping @Sendable () -> Void, _ release: @escaping @Sendable () -> Void) {
      (self.compare, self.release) = (compare, release)
    }

    deinit { release() }
  }

  package init(number: UInt32) { (self.number, hooks) = (number, nil) }

  package init(
    number: UInt32, whenCompared compare: @escaping @Sendable () -> Void,
    whenReleased release: @escaping @Sendable () -> Void
  ) {
    (self.number, hooks) = (number, Hooks(compare, release))
  }

  package static func == (left: Payload, right: Payload) -> Bool {
    left.hooks?.compare()
    return left.number == right.number
  }
}

/// Numbers for values that many threads publish: 10 bits name the caller, 22 bits count.
package enum Number {
  package static func make(caller: Int, count: Int) -> UInt32 { UInt32(caller) << 22 | UInt32(count) }
}

extension LoadPhase {
  /// For records, where a phase has to be small.
  package var code: UInt8 {
    switch self {
    case .unknown: 0
    case .loading: 1
    case .loaded: 2
    case .error: 3
    }
  }
}
