import Dispatch
import SubPub
import SubPubTesting

/// Runs each job on a thread of its own, but has its second run by a `BorrowingExecutor`, and returns from `enqueue` when
/// that has been done.
final class LendingExecutor: TaskExecutor {
  /// Open when the second job is there, and when it has been run.
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

/// Runs each job on a thread of its own, and what the other lends inside the `enqueue` of its second.
final class BorrowingExecutor: TaskExecutor {
  private let lender: LendingExecutor
  private let jobs = Locked(0)

  init(_ lender: LendingExecutor) { self.lender = lender }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let count = jobs.withLock { jobs in
      jobs += 1
      return jobs
    }
    if count == 2 { lender.runLent() }
    OwnThread.start { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
