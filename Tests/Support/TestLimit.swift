package import Dispatch
import Foundation
package import SubPubTesting

/// How long a test waits before it fails.
///
/// At the start of a run every test waits for the pool's few threads; a test that runs alone may get fewer seconds from
/// the environment variable `TEST_LIMIT`.
package enum TestLimit {
  package static let seconds = ProcessInfo.processInfo.environment["TEST_LIMIT"].flatMap(Int.init) ?? 100

  /// The limit from now on, for a thread that waits.
  package static var deadline: DispatchTime { .now() + .seconds(seconds) }
}

extension DispatchQueue {
  /// Returns when everything that was on the queue has run.
  package func passed() async {
    await withCheckedContinuation { passed in async { passed.resume() } }
  }
}

// The default limit of ten seconds is too short for tests that all run at once.

extension ManualClock {
  package func waitForSleepers(_ count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await waitForSleepers(count, within: .seconds(TestLimit.seconds), fileID: fileID, line: line)
  }
}

extension Gate {
  package func waitUntilHeld(_ count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await waitUntilHeld(count, within: .seconds(TestLimit.seconds), fileID: fileID, line: line)
  }
}

extension AsyncGate {
  package func waitUntilHeld(_ count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await waitUntilHeld(count, within: .seconds(TestLimit.seconds), fileID: fileID, line: line)
  }
}
