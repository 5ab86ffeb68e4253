/// A rule of the contract that was broken, and how.
struct Violation: Sendable, CustomStringConvertible {
  let rule: String
  let text: String

  var description: String { "rule \(rule): \(text)" }
}
