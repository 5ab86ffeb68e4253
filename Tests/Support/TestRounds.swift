import Foundation

/// How often tests repeat what they do: a part of the full number, or, with `TEST_ROUNDS=full`, that number.
///
/// `.ci/test` and the scripts that run the tests in release, for their coverage, with sanitizers, and with mutants set
/// the variable.
package enum TestRounds {
  package static let areFull = ProcessInfo.processInfo.environment["TEST_ROUNDS"] == "full"

  package static func of(_ usual: Int, full: Int) -> Int { areFull ? full : usual }
}
