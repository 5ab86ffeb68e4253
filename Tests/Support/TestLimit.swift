package import Dispatch
import Foundation

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
