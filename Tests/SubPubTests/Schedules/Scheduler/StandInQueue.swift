import SubPub

/// Stands in for a Dispatch queue and for the executor of tasks and actors; its jobs are run by a scheduler's workers.
///
/// Only accessed by the strand that has the turn.
final class StandInQueue: WorkQueue, TaskExecutor, FixedTimeSlice, @unchecked Sendable {
  /// Which jobs may run: one at a time in order, one at a time in any order, or any number in any order.
  enum Width { case serial, unordered, concurrent }

  let label = "stand-in"
  let deliveriesAtATime: Int
  private let width: Width
  private let scheduler: Scheduler
  /// Whether other strands may run before and after a submission; not if the runtime may hold a lock then.
  private let isInterrupted: Bool
  private var jobs: [() -> Void] = []
  /// The strands that run its jobs.
  private var holders: [Int] = []
  private let object: Int

  init(_ scheduler: Scheduler, _ width: Width, isInterrupted: Bool, deliveriesAtATime: Int) {
    (self.scheduler, self.width) = (scheduler, width)
    (self.isInterrupted, self.deliveriesAtATime) = (isInterrupted, deliveriesAtATime)
    object = scheduler.makeObject()
  }

  func submit(_ work: @escaping @Sendable () -> Void) { schedule(work) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    schedule { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  func schedule(_ work: @escaping () -> Void) {
    scheduler.note(.submit, jobs.count)
    if isInterrupted { scheduler.point() }
    scheduler.touch(object)
    jobs.append(work)
    if isInterrupted { scheduler.point() }
  }

  var isReady: Bool { !jobs.isEmpty && (width == .concurrent || holders.isEmpty) }

  /// Whether the calling strand is inside one of its jobs.
  var isRunningHere: Bool { holders.contains { $0 == scheduler.running?.number } }

  /// Runs one job on the calling strand.
  func runOne() {
    let index = width == .serial ? 0 : scheduler.draw(jobs.count)
    let strand = scheduler.running?.number ?? -1
    scheduler.note(.job, index)
    scheduler.touch(object)
    let job = jobs.remove(at: index)
    holders.append(strand)
    job()
    holders.removeAll { $0 == strand }
  }
}

/// An actor whose jobs are those of a stand-in that runs one at a time.
actor StandInActor {
  private let executor: Executor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ queue: StandInQueue) { executor = Executor(queue) }

  private final class Executor: SerialExecutor, FixedTimeSlice {
    private let queue: StandInQueue

    init(_ queue: StandInQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.schedule { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func isIsolatingCurrentContext() -> Bool? { queue.isRunningHere }
  }
}
