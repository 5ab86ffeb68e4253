import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

// Rules 5.03 and 5.05: what callers see of deliveries.
extension Section5LoadTests {
  /// Runs each job on a thread of its own; `enqueue` of the first returns when a subscriber is held.
  final class StartingExecutor: TaskExecutor {
    let gate = Gate()
    private let held = DispatchSemaphore(value: 0)
    private let isFirst = Atomic<Bool>(true)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let waits = isFirst.exchange(false, ordering: .relaxed)
      // Not earlier, because the job may enqueue the next one at once.
      OwnThread.start { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      if waits { held.wait() }
    }

    func hold() {
      held.signal()
      gate.pass()
    }
  }

  @Test("a refresh returns when immediate subscribers have received its result")
  func required_5_03_delivered() async throws {
    let executor = StartingExecutor()
    let manager = LoadingManager<Int>(LoadingOptions(on: executor, clock: ContinuousClock())) { 1 }
    let (recorder, delivered) = (Recorder<Int>(), Event())
    manager.publisher.subscribe(recorder, on: .immediate) { _, state in
      guard state == .loaded(1) else { return }
      executor.hold()
      delivered.happen()
    }
    // A queue runs one job at a time: the next one runs when the task waits or has ended.
    let queue = DispatchQueue(label: "caller")
    let caller = Task.detached(executorPreference: QueueExecutor(queue)) {
      await manager.refresh()
      return delivered.count
    }
    try await executor.gate.waitUntilHeld()
    queue.async { executor.gate.open() }
    #expect(await caller.value == 1)
  }

  @Test("a caller cancelled while the result is delivered keeps nothing of the result")
  func required_5_05_duringTheResult() throws {
    let (executor, callers, deaths) = (ManualExecutor(), ManualExecutor(), Deaths())
    let source = Source<Deaths.Token>()
    let manager = LoadingManager<Deaths.Token>(on: executor) { try await source.load() }
    let caller = Caller(on: callers) { _ = await manager.refresh() }
    let canceller = Recorder<Deaths.Token>()
    callers.runAll()
    executor.runAll()
    manager.publisher.subscribe(canceller, on: .immediate) { _, state in
      guard state.phase == .loaded else { return }
      caller.cancel()
      callers.runAll()
    }
    source.answer(0, .success(deaths.makeToken()))
    executor.runAll()
    #expect(caller.result != nil)
    #expect(deaths.count == 0)
    manager.publisher.reset()
    #expect(deaths.count == 1)
    withExtendedLifetime(canceller) {}
  }

  @Test("the last cancelled caller returns when the restored state has been delivered")
  func required_5_05_delivered() async throws {
    let (loader, queue, gate, delivered) = (EndlessLoader(), DispatchQueue(label: "caller"), Gate(), Event())
    defer { gate.open() }
    let manager = LoadingManager<Int> { try await loader.load() }
    let caller = Task.detached(executorPreference: QueueExecutor(queue)) {
      await manager.refresh()
      return delivered.count
    }
    let recorder = Recorder<Int>()
    manager.publisher.subscribe(recorder, on: .immediate)
    try await recorder.wait { $0.phase == .loading }
    await queue.passed()
    let last = Recorder<Int>()
    manager.publisher.subscribe(last, on: .immediate) { _, state in
      guard state == .unknown else { return }
      gate.pass()
      delivered.happen()
    }
    OwnThread.start { caller.cancel() }
    try await gate.waitUntilHeld()
    queue.async { gate.open() }
    #expect(await caller.value == 1)
    withExtendedLifetime(last) {}
  }
}
