#if DEBUG
  import Dispatch
  import Foundation
  import Synchronization
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  @Suite("A limit of drain(within:) that is over before the task waits", .timeLimit(.minutes(1)))
  struct DrainLimitTests {
    @Test("the late subscriptions are known before the wait ends") func model_3_07_noTime() async {
      let steps = Steps()
      let publisher = Publisher<Int>(
        staleAfter: nil, clock: ContinuousClock(), schedulingPoints: SchedulingPoint.Maker { steps.point })
      let (executor, recorder) = (ManualExecutor(), Recorder<Int>())
      publisher.subscribe(recorder, on: .executor(executor))
      steps.watch()
      // On a thread of its own, because it is held until the limit's task has taken a turn.
      let isLate = await Task(executorPreference: QueueExecutor(label: "drain")) {
        defer { steps.drainHasReturned() }
        do { try await publisher.drain(within: .zero) } catch { return true }
        return false
      }.value
      #expect(isLate)
      executor.runAll()
    }
  }

  /// Holds the task that drains until the limit's task has taken its first turn, and then holds the limit's task for
  /// as long as it takes the other one to return, if it does.
  private final class Steps: Sendable {
    private struct Drain {
      var thread: ThreadToken?
      var hasTimedOut = false
    }

    private let isWatching = Atomic<Bool>(false)
    private let drain = Locked(Drain())
    private let timedOut = DispatchSemaphore(value: 0)
    private let hasReturned = Atomic<Bool>(false)

    var point: SchedulingPoint { SchedulingPoint { [weak self] step in self?.reach(step) } }

    func watch() { isWatching.store(true, ordering: .releasing) }

    func drainHasReturned() {
      isWatching.store(false, ordering: .releasing)
      hasReturned.store(true, ordering: .releasing)
    }

    private func reach(_ step: SchedulingPoint.Step) {
      guard isWatching.load(ordering: .acquiring) else { return }
      switch step {
      case .turnBegins:
        // The first turn registers the drain, and the second one suspends its task.
        let isSecond = drain.withLock { drain in
          guard drain.thread != nil else {
            drain.thread = .current
            return false
          }
          return drain.thread == .current && !drain.hasTimedOut
        }
        if isSecond { timedOut.wait() }
      case .turnEnded:
        let isTimeOut = drain.withLock { drain in
          guard drain.thread != .current, !drain.hasTimedOut else { return false }
          drain.hasTimedOut = true
          return true
        }
        guard isTimeOut else { return }
        timedOut.signal()
        for _ in 0..<100_000 where !hasReturned.load(ordering: .acquiring) { sched_yield() }
      case .read, .write, .weakLoad: break
      }
    }
  }
#endif
