import SubPub

/// A task executor whose jobs are those of a stand-in for a queue.
final class StandInExecutor: TaskExecutor, FixedTimeSlice {
  let queue: StandInQueue

  init(_ queue: StandInQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.submit { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// An actor whose jobs are those of a serial stand-in for a queue.
actor StandInActor {
  private let executor: Executor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ queue: StandInQueue) { executor = Executor(queue) }

  private final class Executor: SerialExecutor, FixedTimeSlice {
    private let queue: StandInQueue

    init(_ queue: StandInQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.submit { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func isIsolatingCurrentContext() -> Bool? { queue.isRunningHere }
  }
}
