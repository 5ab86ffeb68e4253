import Dispatch
import SubPub

/// Keeps the jobs of a manual executor, and sees to it that one thread at a time runs them.
final class JobBoard: Sendable {
  private struct State {
    var jobs: PendingJobs
    var turn = Turn()
    var watchers = Watchers()
  }

  private let state: Locked<State>

  init(seed: UInt64?) { state = Locked(State(jobs: PendingJobs(seed: seed))) }

  var pending: Int { state.withLock { $0.jobs.count } }

  func append(_ entry: PendingJobs.Entry) {
    state.withLock { state in
      state.jobs.append(entry)
      return state.watchers.reached(state.jobs.count)
    }.ringAll()
  }

  /// Takes out the job that is next. To be called in the caller's turn.
  func next() -> PendingJobs.Entry? { state.withLock { $0.jobs.next() } }

  /// Blocks until no other thread runs jobs.
  func takeTurn() { state.withLock { $0.turn.claim(by: .current) }?.wait() }

  /// Lets the thread go on that has waited longest.
  func endTurn() { state.withLock { $0.turn.handOver() }?.signal() }

  /// Whether it is the calling thread's turn.
  var isRunningHere: Bool { state.withLock { $0.turn.holder } == .current }

  func checkIsolated() {
    if !isRunningHere { fatalError("This code belongs on a ManualExecutor, and runs outside its jobs") }
  }

  func waitForPending(_ count: Int) async {
    _ = await Bell.wait { bell in
      state.withLock { state in
        if state.jobs.count >= count { return false }
        state.watchers.add(bell, goal: count)
        return true
      }
    } takeDown: { bell in
      state.withLock { $0.watchers.remove(bell) }
    }
  }
}
