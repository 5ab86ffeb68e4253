import Dispatch

/// A task executor with as many threads as it has jobs.
final class PoolExecutor: TaskExecutor {
  let marked = MarkedQueue(.init(label: "pool", attributes: .concurrent))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    marked.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
