import Dispatch
import Testing

/// Threads that belong to a test, and may be blocked.
enum OwnThread {
  /// Runs the body on a thread that isn't the caller's, and returns at once.
  static func start(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "own thread").async(execute: body)
  }

  /// The same, and waits; what takes longer than `Event.limit` is an issue. Suspends the task and blocks no thread.
  static func run(fileID: String = #fileID, line: Int = #line, _ body: @escaping @Sendable () -> Void) async throws {
    let done = Event()
    start {
      body()
      done.happen()
    }
    try await done.wait(fileID: fileID, line: line)
  }

  /// The same from a synchronous function, which is blocked meanwhile.
  static func runBlocking(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    start {
      body()
      done.signal()
    }
    if done.wait(timeout: Event.deadline) == .timedOut {
      Issue.record("another thread had to wait for longer than \(Event.limit)", sourceLocation: sourceLocation)
    }
  }
}
