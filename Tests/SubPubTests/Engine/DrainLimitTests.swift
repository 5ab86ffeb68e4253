#if DEBUG
  import Dispatch
  import Synchronization
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  @Suite("A limit of drain(within:) that is over before the task waits", .hangLimit)
  struct DrainLimitTests {
    @Test("the late subscriptions are known before the wait ends") func required_3_07_noTime() async {
      let steps = Steps()
      let publisher = Publisher<Int>(
        staleAfter: nil, clock: ContinuousClock(), schedulingPoints: SchedulingPoint.Maker { steps.point })
      let (executor, recorder) = (ManualExecutor(), Recorder<Int>())
      publisher.subscribe(recorder, on: .executor(executor))
      steps.watch()
      // On a thread of its own, because it is held until the limit's task has ended the wait.
      let isLate = await Task(executorPreference: QueueExecutor(label: "drain")) {
        defer { steps.drainHasReturned() }
        do { try await publisher.drain(within: .zero) } catch { return true }
        return false
      }.value
      #expect(isLate)
      executor.runAll()
    }
  }

  /// Holds the task that drains until the limit's task has ended the wait, in its second turn, and then holds the
  /// limit's task until the other one has returned.
  private final class Steps: Sendable {
    private struct Turns {
      var drain: ThreadToken?
      var timeOuts = 0
    }

    private let isWatching = Atomic<Bool>(false)
    private let turns = Locked(Turns())
    private let waitHasEnded = DispatchSemaphore(value: 0)
    private let hasReturned = DispatchSemaphore(value: 0)

    var point: SchedulingPoint { SchedulingPoint { [weak self] step in self?.reach(step) } }

    func watch() { isWatching.store(true, ordering: .releasing) }

    func drainHasReturned() {
      isWatching.store(false, ordering: .releasing)
      hasReturned.signal()
    }

    private func reach(_ step: SchedulingPoint.Step) {
      guard isWatching.load(ordering: .acquiring) else { return }
      switch step {
      case .turnBegins:
        // The first turn registers the drain, and the second one suspends its task.
        let isSuspending = turns.withLock { turns in
          guard turns.drain != nil else {
            turns.drain = .current
            return false
          }
          return turns.drain == .current && turns.timeOuts < 2
        }
        if isSuspending { waitHasEnded.wait() }
      case .turnEnded:
        let endsWait = turns.withLock { turns in
          guard turns.drain != .current else { return false }
          turns.timeOuts += 1
          return turns.timeOuts == 2
        }
        guard endsWait else { return }
        waitHasEnded.signal()
        hasReturned.wait()
      case .read, .write, .weakLoad, .spin: break
      }
    }
  }
#endif
