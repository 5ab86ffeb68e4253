import Dispatch
import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test(
    "5.07: a time-out or a delay of more than a hundred years is none",
    arguments: [100 * 365 * 86_400, Int64.max] as [Int64])
  func required_5_07_noLimit(seconds: Int64) {
    // On the system's clock, which can't count that far. What would wait for the time-out has its turn before the answer.
    let slow = LoadBench(timeout: .seconds(seconds), clock: ContinuousClock())
    defer { slow.finish() }
    let answered = slow.refresh()
    slow.answer(0, 1)
    #expect(answered.result == .loaded(1))
    let bench = LoadBench(
      retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(seconds) }, clock: ContinuousClock())
    defer { bench.finish() }
    let caller = bench.refresh()
    bench.fail(0)
    #expect(bench.publisher.state == .loading(previous: nil))
    bench.cancel(caller)
    #expect(caller.result == .unknown)
    #expect(bench.source.calls == 1)
  }

  /// Runs each job on a thread of its own, and lets go of who enqueues the first one when the gate is held.
  final class StartingExecutor: TaskExecutor {
    let gate = Gate()
    private let held = DispatchSemaphore(value: 0)
    private let isFirst = Locked(true)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let waits = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      // The job may enqueue the next one at once, so not before it is known which is the first.
      OwnThread.start { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      if waits { held.wait() }
    }

    /// What the subscriber does.
    func hold() {
      held.signal()
      gate.pass()
    }
  }

  @Test("5.03: a refresh returns when its result has been delivered to who gets it on the publishing thread")
  func required_5_03_delivered() async throws {
    let executor = StartingExecutor()
    let manager = LoadingManager<Int>(
      label: nil, staleAfter: nil, timeout: nil, retry: .never, clock: ContinuousClock(), cache: nil,
      cacheFailed: { _ in }, executor: executor, load: { 1 })
    let (recorder, delivered) = (Recorder<Int>(), Event())
    manager.publisher.subscribe(recorder, on: .immediate) { _, state in
      guard state == .loaded(1) else { return }
      executor.hold()
      delivered.happen()
    }
    // Its jobs run one after the other: the second comes when the first waits, or has ended.
    let queue = DispatchQueue(label: "caller")
    let caller = Task.detached(executorPreference: QueueExecutor(queue)) {
      await manager.refresh()
      return delivered.count
    }
    await executor.gate.waitUntilHeld()
    queue.async { executor.gate.open() }
    #expect(await caller.value == 1)
  }
}
