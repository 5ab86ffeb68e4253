import Dispatch
import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A gate holds threads until it is opened")
  struct GateTests {
    @Test("an open gate lets everyone pass, and opening it again changes nothing")
    func openStaysOpen() {
      let gate = Gate()
      #expect(!gate.isOpen)
      gate.open()
      gate.open()
      gate.pass()
      gate.pass()
      #expect(gate.isOpen)
      #expect(gate.held == 0)
    }

    @Test("a thread goes on only after the gate was opened")
    func holds() async {
      let gate = Gate()
      let log = Locked<[String]>([])
      async let thread: Void = onThread {
        gate.pass()
        log.withLock { $0.append("passed") }
      }
      await gate.waitUntilHeld()
      #expect(gate.held == 1)
      log.withLock { $0.append("opened") }
      gate.open()
      await thread
      #expect(log.snapshot == ["opened", "passed"])
      #expect(gate.held == 0)
    }

    @Test("waiting for a held thread suspends until one comes")
    func waitUntilHeld() async {
      let gate = Gate()
      defer { gate.open() }
      let executor = ManualExecutor()
      let ended = Locked(false)
      let task = Task(executorPreference: executor) {
        await gate.waitUntilHeld()
        ended.withLock { $0 = true }
      }
      #expect(executor.runAll() > 0)
      #expect(!ended.snapshot)
      DispatchQueue(label: "held").async { gate.pass() }
      await executor.waitForPending(1)
      executor.runAll()
      #expect(ended.snapshot)
      await task.value
    }

    @Test("waiting returns at once when a thread is held, or the gate is open")
    func waitUntilHeldAtOnce() async {
      let gate = Gate()
      DispatchQueue(label: "held").async { gate.pass() }
      await gate.waitUntilHeld()
      await gate.waitUntilHeld()
      gate.open()
      await gate.waitUntilHeld()
      await gate.waitUntilHeld(threads: 3)
    }

    @Test("several threads are held, waited for and let go together")
    func severalThreads() async {
      let gate = Gate()
      async let threads: Void = withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await onThread { gate.pass() } } }
      }
      await gate.waitUntilHeld(threads: 4)
      #expect(gate.held == 4)
      gate.open()
      await threads
    }

    @Test("opening wakes those who wait for a held thread")
    func openWakesWaiters() {
      let gate = Gate()
      let executor = ManualExecutor()
      let ended = Locked(0)
      for threads in 1...2 {
        Task(executorPreference: executor) {
          await gate.waitUntilHeld(threads: threads)
          ended.withLock { $0 += 1 }
        }
      }
      executor.runAll()
      #expect(ended.snapshot == 0)
      gate.open()
      executor.runAll()
      #expect(ended.snapshot == 2)
    }

    @Test("a cancelled task stops waiting", arguments: [false, true])
    func cancelledWait(beforeItStarts: Bool) {
      let gate = Gate()
      let executor = ManualExecutor()
      let ended = Locked(false)
      let task = Task(executorPreference: executor) {
        await gate.waitUntilHeld()
        ended.withLock { $0 = true }
      }
      if !beforeItStarts { executor.runAll() }
      #expect(!ended.snapshot)
      task.cancel()
      executor.runAll()
      #expect(ended.snapshot)
    }

    @Test("it holds a subscriber inside receive, and the publisher goes on meanwhile")
    func holdsSubscriber() async throws {
      final class Held: TypedSubscriber {
        let gate = Gate()
        let recorder = Recorder<Int>()
        func receive(_ state: LoadState<Int>) {
          gate.pass()
          recorder.receive(state)
        }
      }
      let publisher = Publisher<Int>()
      let subscriber = Held()
      defer { subscriber.gate.open() }
      publisher.subscribe(subscriber, on: .queue(DispatchQueue(label: "subscriber")))
      await subscriber.gate.waitUntilHeld()
      publisher.updateData(1)
      #expect(subscriber.recorder.states.isEmpty)
      subscriber.gate.open()
      try await subscriber.recorder.wait(count: 2)
      #expect(subscriber.recorder.states == [.unknown, .loaded(1)])
    }

    @Test("its description tells whether it is open and whom it holds")
    func description() async {
      let gate = Gate()
      #expect("\(gate)" == "Gate: closed, holding 0 threads")
      DispatchQueue(label: "held").async { gate.pass() }
      await gate.waitUntilHeld()
      #expect("\(gate)" == "Gate: closed, holding 1 thread")
      gate.open()
      #expect("\(gate)" == "Gate: open")
    }
  }
}
