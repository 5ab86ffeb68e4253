import SubPub

/// A task executor with several threads: its jobs are those of a concurrent stand-in for a queue.
final class StandInExecutor: TaskExecutor, IgnoresTimeSlice {
  let queue: StandInQueue

  init(_ queue: StandInQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.submit { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
