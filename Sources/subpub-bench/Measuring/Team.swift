import Dispatch
import Foundation

/// Threads of our own, which may wait and spin without holding up any task.
enum Team {
  /// Has the body run on that many threads at once; returns the time until all have ended.
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
