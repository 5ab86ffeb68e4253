import Dispatch
import Foundation

/// A group of threads that may block and spin without holding up any task.
enum ThreadGroup {
  /// Runs the body on a number of threads at once, and returns the time until all have finished.
  static func run(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) async -> Duration {
    let ready = Latch(count)
    let done = Latch(count)
    let start = DispatchSemaphore(value: 0)
    for index in 0..<count {
      let thread = Thread {
        ready.arrive()
        start.wait()
        body(index)
        done.arrive()
      }
      thread.start()
    }
    await ready.wait()
    let clock = ContinuousClock()
    let begin = clock.now
    for _ in 0..<count { start.signal() }
    await done.wait()
    return clock.now - begin
  }
}
