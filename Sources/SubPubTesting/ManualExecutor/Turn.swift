import Dispatch
import SubPub

/// Which thread runs an executor's jobs, and which ones wait to. Decides only: the caller waits and signals.
struct Turn {
  private(set) var holder: ThreadToken?
  private var line: [(thread: ThreadToken, semaphore: DispatchSemaphore)] = []

  /// Gives the turn to the thread, or says what it has to wait for; after that wait the turn is its own.
  mutating func claim(by thread: ThreadToken) -> DispatchSemaphore? {
    if holder == thread {
      fatalError(
        "ManualExecutor: runOne() or runAll() was called from inside one of its own jobs, so that two jobs of a "
          + "serial executor would overlap. Let the job end or suspend, and run the next from outside.")
    }
    guard holder != nil else {
      holder = thread
      return nil
    }
    let semaphore = DispatchSemaphore(value: 0)
    line.append((thread, semaphore))
    return semaphore
  }

  /// Hands the turn to the thread that has waited longest, and says what to signal.
  mutating func handOver() -> DispatchSemaphore? {
    guard !line.isEmpty else {
      holder = nil
      return nil
    }
    let next = line.removeFirst()
    holder = next.thread
    return next.semaphore
  }
}
