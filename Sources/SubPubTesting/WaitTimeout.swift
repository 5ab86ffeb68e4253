/// The error that a gate or a ``ManualClock`` throws if what a test waits for doesn't happen in time.
public struct WaitTimeout: Error, Hashable {
  /// The expected event: `2 sleeping tasks`.
  public let expectation: String
  /// How long the test waited.
  public let limit: Duration
  /// What was there instead, at the limit: `at 0.0 seconds, 1 task sleeps: until 30.0 seconds`.
  public let situation: String
  /// The file of the call, as module and file name.
  public let fileID: String
  /// The line of the call.
  public let line: Int
}

extension WaitTimeout: CustomStringConvertible {
  /// The expected event, the limit, and the place of the call, and what was there instead.
  public var description: String { "Waited \(limit) for \(expectation) (\(fileID):\(line)); \(situation)" }
}

extension WaitTimeout {
  init(_ expectation: Expectation, _ situation: String) {
    self.init(
      expectation: expectation.text, limit: expectation.limit, situation: situation, fileID: expectation.fileID,
      line: expectation.line)
  }
}

/// An event that a test expects, with a time limit and the place of the call.
struct Expectation {
  let text: String
  let limit: Duration
  let deadline: ContinuousClock.Instant
  let fileID: String
  let line: Int

  /// The longest wait; the program would stop for a deadline that the clock can't represent.
  private static let longest = Duration.seconds(1_000_000_000)

  /// Starts the time.
  init(_ text: String, within limit: Duration, fileID: String, line: Int) {
    self.text = text
    self.limit = limit
    deadline = .now.advanced(by: min(limit, Self.longest))
    self.fileID = fileID
    self.line = line
  }
}

extension Expectation {
  /// Waits until a waiter is finished.
  ///
  /// `register` and `unregister` are as for a ``Waiter``. `failure` returns the error to throw at the limit; nil if the
  /// event has happened then.
  ///
  /// - Throws: The error at the limit; `CancellationError` if the task is cancelled.
  func wait(
    register: (Waiter) -> Bool, unregister: @Sendable (Waiter) -> Void, orThrow failure: (Expectation) -> (any Error)?
  ) async throws {
    switch await Waiter.wait(until: deadline, register: register, unregister: unregister) {
    case .reached: break
    case .cancelled: throw CancellationError()
    case .timedOut: if let error = failure(self) { throw error }
    }
  }

  /// A count with its noun: `1 task`, `2 tasks`.
  static func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
