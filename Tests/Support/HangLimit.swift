import Foundation
package import Testing

/// The trait of suites whose tests may hang anywhere, and not only where the test kit waits.
///
/// If none of their tests goes on for twice the limit of the test kit, the process stops and names them.
package struct HangLimit: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.watch(test.displayName ?? test.name) { try await function() }
  }

  private static let running = Guarded<[Int: String]>([:])
  private static let started = Guarded(0)

  /// Runs the body, whose beginning and end are progress.
  package static func watch<R>(_ name: String, _ body: () async throws -> R) async rethrows -> R {
    _ = guardian
    let number = started.with { started in
      started += 1
      return started
    }
    running.with { $0[number] = name }
    TestLimit.noteProgress()
    defer {
      running.with { $0[number] = nil }
      TestLimit.noteProgress()
    }
    return try await body()
  }

  /// Looks four times a second, and counts how often nothing has gone on; time in which the process is suspended
  /// doesn't count.
  private static let guardian: Void = Thread.detachNewThread {
    var (quiet, last) = (0, TestLimit.progress)
    while true {
      usleep(250_000)
      let progress = TestLimit.progress
      (quiet, last) = (progress == last ? quiet + 1 : 0, progress)
      let names = running.value.values.sorted()
      if quiet > 8 * TestLimit.seconds, !names.isEmpty {
        fatalError("nothing has gone on for \(quiet / 4) s in: \(names.joined(separator: "; "))")
      }
    }
  }
}

extension Trait where Self == HangLimit {
  /// Ends the test if it hangs (7.05).
  package static var hangLimit: HangLimit { HangLimit() }
}
