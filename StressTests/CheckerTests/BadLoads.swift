import SubPub
import Testing

/// A way to spoil a good course of a manager, the rule that is then broken, and a twin that looks alike and breaks none.
struct BadLoads: Sendable, CustomTestStringConvertible {
  let rule: String
  let name: String
  var mix: LoadMix = [.refresh]
  var twin: @Sendable (inout LoadCourse) -> Void = { _ in }
  let spoil: @Sendable (inout LoadCourse) -> Void

  var testDescription: String { "\(rule): \(name)" }

  func course(_ change: (inout LoadCourse) -> Void) -> LoadCourse {
    mix.contains(.nextPage) ? HandMadeLoads.pages(mix, change) : HandMadeLoads.course(mix, change)
  }
}
