package import Dispatch
import Foundation
package import SubPub
package import SubPubTesting
import Synchronization

/// Ends tests that hang, and judges nothing (7.05).
///
/// Something hangs if, for as long as the limit, no test of this process makes progress: none begins or ends, none
/// begins to wait or gets what it waits for. So it doesn't matter how long one test takes, or how long it has to wait
/// for the processors while others use them.
package enum TestLimit {
  /// The limit: 100 seconds, or as many as the environment variable `TEST_LIMIT` says.
  package static let seconds = ProcessInfo.processInfo.environment["TEST_LIMIT"].flatMap(Int.init) ?? 100

  // Relaxed: they order nothing.
  private static let lastProgress = Atomic<UInt64>(Stamp.now())
  private static let lastHang = Atomic<UInt64>(0)

  /// When a test has last made progress.
  static var progress: UInt64 { lastProgress.load(ordering: .relaxed) }

  /// Notes that a test goes on.
  package static func noteProgress() { lastProgress.store(Stamp.now(), ordering: .relaxed) }

  /// One wait, and when it began.
  package struct Wait: Sendable {
    private let begin: UInt64

    /// Beginning to wait is progress.
    package init() {
      TestLimit.noteProgress()
      begin = Stamp.now()
    }

    /// How long the wait may still last if nothing goes on; zero if it hangs.
    package var nanosecondsLeft: Int {
      let now = Stamp.now()
      let left = TestLimit.left(
        of: UInt64(seconds) * 1_000_000_000, at: now, since: begin,
        lastProgress: progress, lastHang: lastHang.load(ordering: .relaxed))
      if left == 0 { lastHang.store(now, ordering: .relaxed) }
      return Int(left)
    }
  }

  /// What is left of a limit for a wait, from the times of its beginning and of the last events in the process.
  ///
  /// If a wait hangs, its test goes on and fails, which is progress. That helps no wait that has hung as long.
  package static func left(
    of limit: UInt64, at now: UInt64, since begin: UInt64, lastProgress: UInt64, lastHang: UInt64
  ) -> UInt64 {
    let end = max(begin, lastProgress) + limit
    return begin + limit <= lastHang || end <= now ? 0 : end - now
  }

  /// Blocks the thread; returns false if it hangs.
  package static func wait(_ wait: (DispatchTime) -> DispatchTimeoutResult) -> Bool {
    let limit = Wait()
    while case let left = limit.nanosecondsLeft, left > 0 {
      guard wait(.now() + .nanoseconds(left)) == .success else { continue }
      noteProgress()
      return true
    }
    return wait(.now()) == .success
  }

  /// Suspends the task; throws the error of `wait` if it hangs.
  package static func wait(_ wait: (_ limit: Duration) async throws -> Void) async throws {
    let limit = Wait()
    while true {
      do {
        try await wait(.nanoseconds(limit.nanosecondsLeft))
        return noteProgress()
      } catch {
        guard error is WaitTimeout || error is RecorderTimeout, limit.nanosecondsLeft > 0 else { throw error }
      }
    }
  }

  /// Returns true when the caller hangs, and false when it is cancelled.
  package static func waitForHang() async -> Bool {
    let limit = Wait()
    while case let left = limit.nanosecondsLeft, left > 0 {
      do { try await Task.sleep(for: .nanoseconds(left)) } catch { return false }
    }
    return true
  }
}

extension DispatchQueue {
  /// Returns when everything that was on the queue has run.
  package func passed() async {
    await withCheckedContinuation { passed in async { passed.resume() } }
  }
}

// The default limit of ten seconds is too short for tests that all run at once.

extension Recorder {
  package func wait(count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await TestLimit.wait { try await wait(count: count, within: $0, fileID: fileID, line: line) }
  }

  package func wait(
    until predicate: @escaping @Sendable (LoadState<Value>) -> Bool, fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await TestLimit.wait { try await wait(within: $0, until: predicate, fileID: fileID, line: line) }
  }
}

extension ManualClock {
  package func waitForSleepers(_ count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await TestLimit.wait { try await waitForSleepers(count, within: $0, fileID: fileID, line: line) }
  }
}

extension Gate {
  package func waitUntilHeld(_ count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await TestLimit.wait { try await waitUntilHeld(count, within: $0, fileID: fileID, line: line) }
  }
}

extension AsyncGate {
  package func waitUntilHeld(_ count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await TestLimit.wait { try await waitUntilHeld(count, within: $0, fileID: fileID, line: line) }
  }
}
