import Dispatch
import SubPub
import Testing

/// The suites of the test kit, so that `--filter Testing` finds them.
@Suite("The test kit", .timeLimit(.minutes(1)))
enum TestingKitTests {
  /// Runs the body on a thread that may block, and returns when it has ended.
  static func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "test").async {
        body()
        continuation.resume()
      }
    }
  }

  /// What a process that stopped had to say.
  static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}

extension Locked {
  /// What is there now.
  var snapshot: State { withLock { $0 } }
}
