import Dispatch
import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A gate holds threads until it is opened")
  struct GateTests {
    @Test("an open gate lets every thread pass, and opening it again changes nothing")
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

    @Test("a thread passes only after the gate has been opened")
    func holds() async throws {
      let gate = Gate()
      let log = Locked<[String]>([])
      async let thread: Void = onThread {
        gate.pass()
        log.withLock { $0.append("passed") }
      }
      try await gate.waitUntilHeld()
      #expect(gate.held == 1)
      log.withLock { $0.append("opened") }
      gate.open()
      await thread
      #expect(log.snapshot == ["opened", "passed"])
      #expect(gate.held == 0)
    }

    @Test("waitUntilHeld() suspends until a thread is held")
    func waitUntilHeld() async {
      let gate = Gate()
      defer { gate.open() }
      let trial = Trial { try await gate.waitUntilHeld() }
      #expect(!trial.run().isOver)
      DispatchQueue(label: "held").async { gate.pass() }
      await trial.executor.waitForPending(1)
      #expect(trial.run().isOver)
    }

    @Test("waitUntilHeld() returns at once if a thread is held or the gate is open")
    func waitUntilHeldAtOnce() async throws {
      let gate = Gate()
      DispatchQueue(label: "held").async { gate.pass() }
      try await gate.waitUntilHeld()
      try await gate.waitUntilHeld()
      gate.open()
      try await gate.waitUntilHeld()
      try await gate.waitUntilHeld(threads: 3)
    }

    @Test("it holds several threads at the same time, which opening releases together")
    func severalThreads() async throws {
      let gate = Gate()
      async let threads: Void = withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await onThread { gate.pass() } } }
      }
      try await gate.waitUntilHeld(threads: 4)
      #expect(gate.held == 4)
      gate.open()
      await threads
    }

    @Test("opening ends every waitUntilHeld()")
    func openWakesWaiters() {
      let gate = Gate()
      let trials = (1...2).map { threads in Trial { try await gate.waitUntilHeld(threads: threads) }.run() }
      #expect(trials.allSatisfy { !$0.isOver })
      gate.open()
      #expect(trials.allSatisfy { $0.run().isOver })
    }

    @Test("waitUntilHeld() throws a CancellationError if its task is cancelled", arguments: [false, true])
    func cancelledWait(beforeItStarts: Bool) {
      let gate = Gate()
      let trial = Trial { try await gate.waitUntilHeld() }
      if !beforeItStarts { trial.run() }
      #expect(!trial.isOver)
      trial.cancel()
      #expect(trial.run().error is CancellationError)
    }

    @Test("it holds a subscriber inside receive while the publisher goes on")
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
      try await subscriber.gate.waitUntilHeld()
      publisher.updateData(1)
      #expect(subscriber.recorder.states.isEmpty)
      subscriber.gate.open()
      try await subscriber.recorder.wait(count: 2)
      #expect(subscriber.recorder.states == [.unknown, .loaded(1)])
    }

    @Test("its description tells whether it is open and how many threads it holds")
    func description() async throws {
      let gate = Gate()
      #expect("\(gate)" == "Gate: closed, holding 0 threads")
      DispatchQueue(label: "held").async { gate.pass() }
      try await gate.waitUntilHeld()
      #expect("\(gate)" == "Gate: closed, holding 1 thread")
      gate.open()
      #expect("\(gate)" == "Gate: open")
    }
  }
}
