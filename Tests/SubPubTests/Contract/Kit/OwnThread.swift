import Dispatch
import SubPub
import SubPubTesting
import Support
import Synchronization
import Testing

/// Threads that belong to a test and may be blocked.
enum OwnThread {
  /// Runs the body on a thread that isn't the caller's, and returns at once.
  static func start(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "own thread").async(execute: body)
  }

  /// Runs the body on another thread and suspends until it has returned; fails if it hangs.
  static func run(fileID: String = #fileID, line: Int = #line, _ body: @escaping @Sendable () -> Void) async throws {
    try await result(fileID: fileID, line: line, of: body)
  }

  /// Runs the body on another thread and returns its result; fails if it hangs.
  ///
  /// A call that blocks fails its test this way, instead of hanging it.
  static func result<R: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation, fileID: String = #fileID, line: Int = #line,
    of body: @escaping @Sendable () -> R
  ) async throws -> R {
    let result = Recorder<R>()
    start { result.receive(.loaded(body())) }
    try await result.wait(count: 1, fileID: fileID, line: line)
    return try #require(result.states.first?.value, sourceLocation: sourceLocation)
  }

  /// Runs the body on another thread and blocks the caller until it has returned.
  static func runBlocking(sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    start {
      body()
      done.signal()
    }
    if !TestLimit.wait({ done.wait(timeout: $0) }) {
      Issue.record("another thread is blocked", sourceLocation: sourceLocation)
    }
  }
}

/// Threads that start together.
///
/// They sleep until all have started, and then spin until all are awake, or for some microseconds if there are fewer
/// cores than threads.
enum Race {
  private static let patience = 10_000

  /// Runs the body once for each number, on threads of their own, and returns when all have ended.
  static func run(threads: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async throws {
    // A thread of its own waits for them: ThreadSanitizer reports a race if the last of them resumes a continuation
    // before its await has suspended.
    let isOver = await withTaskExecutorPreference(QueueExecutor(label: "race")) {
      await waitForEnd(of: threads, body)
    }
    try #require(isOver, "the threads of a race don't end")
  }

  @concurrent
  private static func waitForEnd(of threads: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async -> Bool {
    let (ready, start, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
    let awake = Counter()
    for thread in 0..<threads {
      end.enter()
      OwnThread.start {
        ready.signal()
        start.wait()
        awake.value.add(1, ordering: .relaxed)
        var left = patience
        while awake.value.load(ordering: .relaxed) < threads, left > 0 { left -= 1 }
        body(thread)
        end.leave()
      }
    }
    for _ in 0..<threads { ready.wait() }
    for _ in 0..<threads { start.signal() }
    return TestLimit.wait { end.wait(timeout: $0) }
  }

  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }
}
