import Dispatch
import SubPub

/// The jobs of a manual executor, which one thread at a time runs.
final class JobQueue: Sendable {
  private struct State {
    var jobs: PendingJobs
    var ownership = Ownership()
    var waiters = CountWaiters()
  }

  private let state: Locked<State>

  init(seed: UInt64?) { state = Locked(State(jobs: PendingJobs(seed: seed))) }

  var pending: Int { state.withLock { $0.jobs.count } }

  func append(_ job: PendingJobs.Job) {
    state.withLock { state in
      state.jobs.append(job)
      return state.waiters.reached(state.jobs.count)
    }.finishAll()
  }

  /// Removes and returns the next job, for the thread that owns the queue.
  func next() -> PendingJobs.Job? { state.withLock { $0.jobs.next() } }

  /// Blocks until no other thread owns the queue, and makes this thread the owner.
  func acquire() { state.withLock { $0.ownership.acquire(by: .current) }?.wait() }

  /// Passes the ownership to the thread that has waited longest.
  func release() { state.withLock { $0.ownership.release() }?.signal() }

  /// Whether the calling thread owns the queue.
  var isRunningHere: Bool { state.withLock { $0.ownership.owner } == .current }

  func checkIsolated() {
    if !isRunningHere { stopForMisuse("This code must run in a job of its ManualExecutor, but runs outside") }
  }

  func waitForPending(_ count: Int) async {
    _ = await Waiter.wait { waiter in
      state.withLock { state in
        if state.jobs.count >= count { return false }
        state.waiters.add(waiter, goal: count)
        return true
      }
    } unregister: { waiter in
      state.withLock { $0.waiters.remove(waiter) }
    }
  }
}

/// The pending jobs, and the choice of the next one.
struct PendingJobs {
  enum Job {
    /// A job of a task that prefers the executor.
    case preferred(UnownedJob)
    /// A job of an actor that runs on the executor.
    case isolated(UnownedJob)
    case step(@Sendable () -> Void)
  }

  private var generator: SeededGenerator?
  private var arrived: [Job] = []
  /// The jobs to run in order, the last one first; empty with a seed.
  private var inOrder: [Job] = []

  init(seed: UInt64?) { generator = seed.map(SeededGenerator.init) }

  var count: Int { arrived.count + inOrder.count }

  mutating func append(_ job: Job) { arrived.append(job) }

  /// Removes and returns the oldest job, or with a seed the one that is drawn.
  mutating func next() -> Job? {
    if generator == nil {
      if inOrder.isEmpty {
        swap(&arrived, &inOrder)
        inOrder.reverse()
      }
      return inOrder.popLast()
    }
    if arrived.isEmpty { return nil }
    if let drawn = generator?.index(below: arrived.count) { arrived.swapAt(drawn, arrived.count - 1) }
    return arrived.popLast()
  }
}

/// The thread that runs an executor's jobs, and the threads that wait to run them.
///
/// Decides only: the caller waits and signals.
private struct Ownership {
  private(set) var owner: ThreadToken?
  private var waiting: [(thread: ThreadToken, semaphore: DispatchSemaphore)] = []

  /// Makes the thread the owner, at once or after it has waited for the semaphore that is returned.
  mutating func acquire(by thread: ThreadToken) -> DispatchSemaphore? {
    if owner == thread {
      stopForMisuse(
        "ManualExecutor: runOne() or runAll() was called from inside one of its own jobs, so that two jobs of a "
          + "serial executor would overlap. Let the job end or suspend, and run the next from outside.")
    }
    guard owner != nil else {
      owner = thread
      return nil
    }
    let semaphore = DispatchSemaphore(value: 0)
    waiting.append((thread, semaphore))
    return semaphore
  }

  /// Makes the thread that has waited longest the owner, and returns the semaphore to signal.
  mutating func release() -> DispatchSemaphore? {
    guard !waiting.isEmpty else {
      owner = nil
      return nil
    }
    let next = waiting.removeFirst()
    owner = next.thread
    return next.semaphore
  }
}
