import SubPub

/// An executor whose jobs wait until a test runs them, on the test's own thread.
///
/// Jobs run in order, or in an order that a seed determines. Use it as a task executor (`Task(executorPreference:)`,
/// `DeliveryContext.executor`) and as the executor of actors:
///
/// ```swift
/// let executor = ManualExecutor(seed: 7)
/// publisher.subscribe(recorder, on: .executor(executor))
/// publisher.updateData(news)                     // nothing is delivered yet
/// executor.runAll()                              // now it is
/// ```
///
/// Jobs never overlap. If one thread does everything, the seed determines the whole order of events: try many seeds,
/// and keep one that fails. The executor doesn't control work that leaves it: `Task {}` without a preference,
/// `Task.sleep`, and queues.
///
/// Call ``enqueue(_:)``, ``schedule(_:)``, ``pending``, and ``waitForPending(_:)`` from any thread, and from inside
/// jobs. Run all jobs before you release the executor: a task whose job is never run is leaked.
public final class ManualExecutor: SerialExecutor, TaskExecutor {
  private let jobs: JobQueue
  private let actorExecutor: ActorExecutor

  /// Creates an executor without jobs.
  ///
  /// - Parameter seed: Determines the order of the jobs: the next one is drawn from all pending jobs. With nil, jobs
  ///   run in the order in which they were enqueued.
  public init(seed: UInt64? = nil) {
    self.seed = seed
    jobs = JobQueue(seed: seed)
    actorExecutor = ActorExecutor(jobs)
  }

  /// The seed that determines the order of the jobs; nil for first in, first out.
  public let seed: UInt64?

  /// Adds the job of a task; the Swift runtime calls this.
  ///
  /// - Parameter job: The job.
  public func enqueue(_ job: consuming ExecutorJob) { jobs.append(.preferred(UnownedJob(job))) }

  /// Returns the executor for the `unownedExecutor` of an actor, which has to keep this object alive.
  ///
  /// It differs from the executor that tasks prefer, but shares its mutual exclusion. So each hop to the actor is a job
  /// of its own, whose place the seed determines, even for a task that is already on this executor. A task that doesn't
  /// prefer this executor suspends more often, even where the actor calls itself.
  ///
  /// - Returns: The executor for actors.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe actorExecutor.asUnownedSerialExecutor()
  }

  /// Adds a step of the test, such as a synchronous call, to the jobs.
  ///
  /// - Parameter step: Runs as one job.
  public func schedule(_ step: @escaping @Sendable () -> Void) { jobs.append(.step(step)) }

  /// The number of pending jobs, without one that is running.
  public var pending: Int { jobs.pending }

  /// Waits until at least a number of jobs are pending.
  ///
  /// Use it for work that arrives from another thread. Suspends the task and blocks no thread. Returns early if the
  /// task is cancelled.
  ///
  /// - Parameter count: The number of jobs.
  public func waitForPending(_ count: Int) async { await jobs.waitForPending(count) }

  /// Runs one pending job on the calling thread, and returns when it has ended or suspended.
  ///
  /// Blocks while another thread is running jobs of this executor.
  ///
  /// - Returns: False if no job was pending.
  /// - Precondition: The call isn't made from inside a job of this executor, because two of its jobs would overlap.
  @discardableResult
  public func runOne() -> Bool {
    jobs.acquire()
    defer { jobs.release() }
    return runNext()
  }

  /// Runs pending jobs on the calling thread until none is left, including those that are enqueued in the meantime.
  ///
  /// Doesn't return if jobs never stop enqueuing others. Blocks while another thread is running jobs of this executor.
  ///
  /// - Returns: The number of jobs that it ran.
  /// - Precondition: The call isn't made from inside a job of this executor, because two of its jobs would overlap.
  @discardableResult
  public func runAll() -> Int {
    jobs.acquire()
    defer { jobs.release() }
    var count = 0
    while runNext() { count += 1 }
    return count
  }

  private func runNext() -> Bool {
    switch jobs.next() {
    case nil:
      return false
    case .step(let step):
      step()
    case .preferred(let job):
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    case .isolated(let job):
      unsafe job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
    return true
  }

  /// Returns whether the caller is inside a job of this executor; the Swift runtime calls this.
  ///
  /// - Returns: Never nil.
  public func isIsolatingCurrentContext() -> Bool? { jobs.isRunningHere }

  /// Stops the program unless the caller is inside a job of this executor; the Swift runtime calls this.
  public func checkIsolated() { jobs.checkIsolated() }
}

/// A fixed time slice, because the same seed must give the same history and no clock may decide when a lane pauses.
extension ManualExecutor: FixedTimeSlice {}

extension ManualExecutor: CustomStringConvertible {
  /// The seed, if there is one, and the number of pending jobs: `ManualExecutor(seed: 7), 3 pending`.
  public var description: String {
    "ManualExecutor\(seed.map { "(seed: \($0))" } ?? "()"), \(pending) pending"
  }
}

/// A manual executor as the actors that run on it see it.
///
/// If it were the same object, the runtime would assume that a task on the executor is already on each of those actors,
/// and wouldn't suspend the task on its way there. A seed would have fewer points to choose from.
private final class ActorExecutor: SerialExecutor, FixedTimeSlice {
  private let jobs: JobQueue

  init(_ jobs: JobQueue) { self.jobs = jobs }

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(.isolated(UnownedJob(job))) }

  func isIsolatingCurrentContext() -> Bool? { jobs.isRunningHere }

  func checkIsolated() { jobs.checkIsolated() }
}
