// Tests in other folders still use these names; this file goes when they are renamed.

typealias Chain = PublishChain
typealias Depth = NestingDepth
typealias Intrusion = LockProbe
typealias StruckPayload = ProbingPayload

/// Not an alias, because a test prints the name.
final class LastWords: Sendable {
  private let action: DeinitAction

  init(_ action: @escaping @Sendable () -> Void) { self.action = DeinitAction(action) }
}

extension LockProbe {
  func strike() { run() }
}
