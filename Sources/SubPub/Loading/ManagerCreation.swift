import Dispatch
import Synchronization

/// A call of a family's `make`, for which other threads wait.
final class ManagerCreation: Sendable {
  private let thread: ThreadToken
  private let completion = DispatchGroup()
  private let hasEnded = Atomic<Bool>(false)
  /// What each waiting thread waits for.
  private static let waits = Locked([UInt: ManagerCreation]())

  init(on thread: ThreadToken) {
    self.thread = thread
    completion.enter()
  }

  func end() {
    hasEnded.store(true, ordering: .releasing)
    completion.leave()
  }

  /// Blocks this thread until everybody may have the manager; returns false at once if that would last forever.
  func wait() -> Bool {
    let (current, isCycle) = (ThreadToken.current, beginWait())
    if !isCycle { completion.wait() }
    Self.waits.withLock { $0[current.bits] = nil }
    return !isCycle
  }

  /// Records the wait, and returns whether this manager's thread waits for the current one.
  private func beginWait() -> Bool {
    Self.waits.withLock { waits in
      var last: ManagerCreation? = self
      // A thread that hasn't noticed yet that its wait is over waits for nobody.
      while let call = last, call.thread != .current, !call.hasEnded.load(ordering: .acquiring) {
        last = waits[call.thread.bits]
      }
      waits[ThreadToken.current.bits] = self
      return last.map { $0.thread == .current && !$0.hasEnded.load(ordering: .acquiring) } ?? false
    }
  }
}
