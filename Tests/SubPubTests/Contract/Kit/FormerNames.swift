// Tests in other folders still use these names; this file goes when they are renamed.

typealias Chain = PublishChain
typealias Depth = NestingDepth
typealias Intrusion = LockProbe
typealias LastWords = DeinitAction
typealias StruckPayload = ProbingPayload

extension LockProbe {
  func strike() { run() }
}
