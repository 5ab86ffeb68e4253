import SubPub

/// An executor whose jobs wait until the test runs them, on the test's own thread: in order, or in an order that is
/// drawn from a seed and is the same whenever that seed is given.
///
/// It serves as a task executor (`Task(executorPreference:)`, `Delivery.executor`) and as the executor of actors:
///
/// ```swift
/// let executor = ManualExecutor(seed: 7)
/// publisher.subscribe(recorder, on: .executor(executor))
/// publisher.updateData(news)                     // nothing is delivered yet
/// executor.runAll()                              // now it is
/// ```
///
/// Jobs never overlap. With one thread that does everything, the seed decides the whole order of events: try many
/// seeds, and keep the one that failed. What leaves the executor is out of its hands: `Task {}` without a preference,
/// `Task.sleep`, queues. It adds a fraction of a microsecond to each job.
///
/// `enqueue`, `schedule`, `pending` and `waitForPending` may be called from any thread, and from inside jobs. Run all
/// jobs before letting go of the executor: a task whose job is never run stays in memory for good.
public final class ManualExecutor: SerialExecutor, TaskExecutor {
  private let board: JobBoard
  private let actorFace: ActorFace

  /// Without a seed, jobs run in the order in which they were enqueued; with one, the next is drawn from all that
  /// are pending.
  public init(seed: UInt64? = nil) {
    self.seed = seed
    board = JobBoard(seed: seed)
    actorFace = ActorFace(board)
  }

  /// What decides the order; nil for first in, first out.
  public let seed: UInt64?

  /// Keeps the job of a task until it is run. The Swift runtime calls this.
  public func enqueue(_ job: consuming ExecutorJob) { board.append(.preferred(UnownedJob(job))) }

  /// What an actor that lives here returns as its `unownedExecutor`; the actor has to hold the executor.
  ///
  /// It is another one than the executor that tasks prefer, under the same exclusion: so going to the actor is a job
  /// of its own, which the seed can put anywhere, also for a task that is on this executor already. A task that
  /// doesn't prefer this executor suspends more often, also where the actor calls itself.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe actorFace.asUnownedSerialExecutor()
  }

  /// Keeps a step of the test's own, such as a synchronous caller, among the jobs, to be run as one of them.
  public func schedule(_ step: @escaping @Sendable () -> Void) { board.append(.step(step)) }

  /// How many jobs wait; one that runs is not counted.
  public var pending: Int { board.pending }

  /// Returns when at least that many jobs are pending; at once if they are.
  ///
  /// For work that comes from another thread. Suspends the task and blocks no thread. Returns early when the task is
  /// cancelled.
  public func waitForPending(_ count: Int) async { await board.waitForPending(count) }

  /// Runs one pending job on the calling thread, and returns when it has ended or suspended; says false if there
  /// was none.
  ///
  /// Waits while another thread runs jobs of this executor. Called from inside one of its own jobs it stops the
  /// program, because two jobs of a serial executor would overlap.
  @discardableResult
  public func runOne() -> Bool {
    board.takeTurn()
    defer { board.endTurn() }
    return runNext()
  }

  /// Runs pending jobs on the calling thread until none is left, those that are enqueued meanwhile included, and
  /// says how many it ran.
  ///
  /// Jobs that enqueue others for ever keep it from returning. Otherwise like `runOne()`.
  @discardableResult
  public func runAll() -> Int {
    board.takeTurn()
    defer { board.endTurn() }
    var count = 0
    while runNext() { count += 1 }
    return count
  }

  private func runNext() -> Bool {
    switch board.next() {
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

  /// Whether the caller is inside one of this executor's jobs. The Swift runtime asks.
  public func isIsolatingCurrentContext() -> Bool? { board.isRunningHere }

  /// Stops the program unless the caller is inside one of this executor's jobs. The Swift runtime calls this.
  public func checkIsolated() { board.checkIsolated() }
}

/// The same seed, the same history: no clock decides when a drain ends.
extension ManualExecutor: FixedTimeSlice {}

extension ManualExecutor: CustomStringConvertible {
  /// Its seed, if it has one, and how much is pending: `ManualExecutor(seed: 7), 3 pending`.
  public var description: String {
    "ManualExecutor\(seed.map { "(seed: \($0))" } ?? "()"), \(pending) pending"
  }
}
