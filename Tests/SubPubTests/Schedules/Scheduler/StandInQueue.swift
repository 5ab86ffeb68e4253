import SubPub
import SubPubTesting

/// Stands in for a Dispatch queue, whose jobs are run by the workers of a scheduler.
///
/// A serial queue runs one at a time, in order, and a concurrent one any number in any order. Only accessed by the strand
/// that has the turn.
final class StandInQueue: WorkQueue, FixedTimeSlice, JobSource, @unchecked Sendable {
  enum Width { case serial, concurrent }

  let label: String
  private let width: Width
  private let scheduler: Scheduler
  private var jobs: [() -> Void] = []
  /// The strands that run its jobs.
  private var holders: [Int] = []
  private let object: Int
  let deliveriesAtATime: Int

  init(_ scheduler: Scheduler, _ width: Width, label: String, deliveriesAtATime: Int = 256) {
    self.scheduler = scheduler
    self.width = width
    self.label = label
    self.deliveriesAtATime = deliveriesAtATime
    object = scheduler.makeObject()
  }

  func submit(_ work: @escaping @Sendable () -> Void) { schedule(work) }

  /// Submits a step of a client.
  func schedule(_ work: @escaping () -> Void) {
    scheduler.note(.submit, jobs.count)
    scheduler.point()
    scheduler.touch(object)
    jobs.append(work)
    scheduler.point()
  }

  var isReady: Bool { !jobs.isEmpty && (width == .concurrent || holders.isEmpty) }

  /// Whether the calling strand is inside one of its jobs.
  var isRunningHere: Bool { holders.contains { $0 == scheduler.running?.number } }

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

/// A source of jobs for the workers of a scheduler.
protocol JobSource: AnyObject {
  /// Whether it has a job that may run now.
  var isReady: Bool { get }
  /// Runs one job on the calling strand.
  func runOne()
}

/// The jobs of a manual executor, which run one at a time.
final class ManualJobs: JobSource {
  let executor: ManualExecutor
  private var isRunning = false

  init(seed: UInt64?) { executor = ManualExecutor(seed: seed) }

  var isReady: Bool { !isRunning && executor.pending > 0 }

  func runOne() {
    isRunning = true
    executor.runOne()
    isRunning = false
  }
}
