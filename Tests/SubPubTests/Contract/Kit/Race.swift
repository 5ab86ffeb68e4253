import Dispatch
import SubPub
import Synchronization
import Testing

/// Threads that start together: they sleep until all are there, then spin until all are awake, or for some microseconds
/// where there are fewer cores than threads.
enum Race {
  private static let patience = 10_000

  /// Runs the body once for each number, on threads of their own, and returns when all have ended.
  ///
  /// A thread of its own waits for them. A continuation that the last of them resumed could be resumed before its await
  /// has suspended, which ThreadSanitizer takes for a race.
  static func run(threads: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async throws {
    let isOver = await withTaskExecutorPreference(QueueExecutor(label: "race")) {
      await waitForEnd(of: threads, body)
    }
    try #require(isOver, "the threads of a race haven't ended within \(Event.limit)")
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
    return end.wait(timeout: Event.deadline) == .success
  }

  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }
}
