import SubPub
import Testing

/// A way to spoil a good history, the rule that is then broken, and a twin that looks alike and breaks none.
struct BadHistory: Sendable, CustomTestStringConvertible {
  let rule: String
  let name: String
  var twin: @Sendable (inout History) -> Void = { _ in }
  let spoil: @Sendable (inout History) -> Void

  var testDescription: String { "\(rule): \(name)" }
}
