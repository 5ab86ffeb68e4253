import Dispatch
import SubPub
import Synchronization

/// Runs every second job on a thread of its own, and waits inside `enqueue` until that one enqueues the next or ends. The
/// next it runs itself: so a thread that hands back runs what another has handed back meanwhile.
final class HelpingExecutor: TaskExecutor {
  private struct State {
    var jobs = 0
    /// What a waiting thread is to run.
    var next: UnownedJob?
    var waiting: DispatchSemaphore?
  }

  private let state = Locked(State())
  /// Of the jobs that are run inside `enqueue`.
  private let depth = Depth()

  var deepest: Int { depth.deepest }

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
    guard let next = state.withLock({ $0.next.take() }) else { return }
    depth.enter()
    unsafe next.runSynchronously(on: asUnownedTaskExecutor())
    depth.leave()
  }
}
