import Dispatch
import Synchronization

/// Runs its first two jobs on threads of their own, and each later one inside `enqueue`.
///
/// `enqueue` of the second returns only when the third comes, from inside the second; and the third runs only when the
/// first has ended. So two drains hand back at the same time, and the one that began first ends first.
final class RelayExecutor: TaskExecutor {
  /// Of the jobs on the second thread.
  let depth = Depth()
  private let count = Atomic<Int>(0)
  private let thirdIsThere = DispatchSemaphore(value: 0)
  private let firstHasEnded = DispatchSemaphore(value: 0)

  /// How many jobs it was given.
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
    depth.enter()
    defer { depth.leave() }
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
