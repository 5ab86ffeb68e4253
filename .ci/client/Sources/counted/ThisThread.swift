import Dispatch
import Synchronization

/// An executor that keeps its jobs until the counted thread runs them.
final class ThisThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let arrived = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrived.signal()
  }

  /// Runs jobs until a condition holds when none is queued.
  ///
  /// A lane whose time slice is over is enqueued by another thread.
  func run(until isOver: () -> Bool) {
    while true {
      while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
      if isOver() { return }
      arrived.wait()
    }
  }
}
