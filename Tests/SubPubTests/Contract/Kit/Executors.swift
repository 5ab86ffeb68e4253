import Dispatch
import SubPub
import SubPubTesting
import Synchronization

/// Counts how many jobs are nested on one thread, and the most that ever were.
final class StackDepth: Sendable {
  private let state = Locked<(now: [ThreadToken: Int], most: Int)>(([:], 0))

  /// Runs a job of an executor that has this object.
  ///
  /// The job may release the executor, and so this object, which the runtime doesn't hold either: the compiler relies on
  /// the caller to hold it, so a copy of the reference wouldn't be enough.
  func run(_ job: () -> Void) {
    let kept = unsafe Unmanaged.passRetained(self)
    defer { unsafe kept.release() }
    enter()
    job()
    leave()
  }

  private func enter() {
    state.withLock { state in
      let depth = state.now[.current, default: 0] + 1
      state.now[.current] = depth
      state.most = max(state.most, depth)
    }
  }

  private func leave() { state.withLock { $0.now[.current, default: 0] -= 1 } }

  var deepest: Int { state.withLock { $0.most } }
}

/// Runs each job inside `enqueue`.
final class InlineExecutor: TaskExecutor {
  let depth = StackDepth()
  private let willRun: @Sendable () -> Void
  private let count = Atomic<Int>(0)

  init(willRun: @escaping @Sendable () -> Void = {}) { self.willRun = willRun }

  /// The number of jobs so far.
  var jobs: Int { count.load(ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    count.add(1, ordering: .relaxed)
    willRun()
    let job = UnownedJob(job)
    depth.run { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Makes two drains hand back at the same time, the first of which ends first.
///
/// The first two jobs run on threads of their own, and each later one inside `enqueue`. `enqueue` of the second returns
/// only when the second enqueues the third; and the third runs only when the first has ended.
final class RelayExecutor: TaskExecutor {
  /// The nesting of the jobs on the second thread.
  let depth = StackDepth()
  private let count = Atomic<Int>(0)
  private let thirdIsThere = DispatchSemaphore(value: 0)
  private let firstHasEnded = DispatchSemaphore(value: 0)

  /// The number of jobs so far.
  var jobs: Int { count.load(ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    switch count.add(1, ordering: .relaxed).newValue {
    case 1:
      OwnThread.start {
        unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        self.firstHasEnded.signal()
      }
    case 2:
      OwnThread.start { self.run(job) }
      thirdIsThere.wait()
    case 3:
      thirdIsThere.signal()
      firstHasEnded.wait()
      run(job)
    default:
      run(job)
    }
  }

  private func run(_ job: UnownedJob) {
    depth.run { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Makes a thread that enqueues a lane run what another thread has enqueued in the meantime.
///
/// Every second job runs on a thread of its own. `enqueue` waits until the next one is enqueued or that job has ended,
/// and then runs the next one itself, if it is there.
final class HelpingExecutor: TaskExecutor {
  private struct State {
    var jobs = 0
    /// The job for the thread that waits.
    var next: UnownedJob?
    var waiting: DispatchSemaphore?
  }

  private let state = Locked(State())
  /// The nesting of the jobs that run inside `enqueue`.
  let depth = StackDepth()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let helper = DispatchSemaphore(value: 0)
    let (waits, helps) = state.withLock { state in
      state.jobs += 1
      if state.jobs.isMultiple(of: 2) {
        state.waiting = helper
        return (true, DispatchSemaphore?.none)
      }
      defer { state.waiting = nil }
      if state.waiting != nil { state.next = job }
      return (false, state.waiting)
    }
    if let helps {
      helps.signal()
      return
    }
    OwnThread.start {
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
      helper.signal()
    }
    guard waits else { return }
    helper.wait()
    let next = state.withLock { state in
      state.waiting = nil
      return state.next.take()
    }
    guard let next else { return }
    depth.run { unsafe next.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Runs its second job on a `BorrowingExecutor`, and the others on threads of their own.
///
/// `enqueue` of the second returns when the job has run.
final class LendingExecutor: TaskExecutor {
  /// Open when the second job is there, and when it has run.
  let (isLent, isReturned) = (Gate(), Gate())
  private let jobs = Locked<(count: Int, lent: UnownedJob?)>((0, nil))
  private let hasRunLent: @Sendable () -> Void

  init(hasRunLent: @escaping @Sendable () -> Void) { self.hasRunLent = hasRunLent }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let count = jobs.withLock { jobs in
      jobs.count += 1
      if jobs.count == 2 { jobs.lent = job }
      return jobs.count
    }
    guard count == 2 else { return OwnThread.start { self.run(job) } }
    isLent.open()
    isReturned.pass()
  }

  func runLent() {
    isLent.pass()
    if let job = jobs.withLock({ $0.lent.take() }) { run(job) }
    hasRunLent()
    isReturned.open()
  }

  private func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
}

/// Runs each job on a thread of its own, and the job that the other executor lends inside `enqueue` of its second.
final class BorrowingExecutor: TaskExecutor {
  private let lender: LendingExecutor
  private let jobs = Atomic<Int>(0)

  init(_ lender: LendingExecutor) { self.lender = lender }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if jobs.add(1, ordering: .relaxed).newValue == 2 { lender.runLent() }
    OwnThread.start { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
