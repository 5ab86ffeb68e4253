import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("An async gate holds tasks until it is opened, and blocks no thread")
  struct AsyncGateTests {
    @Test("an open gate lets every task pass, and opening it again changes nothing")
    func openStaysOpen() {
      let gate = AsyncGate()
      #expect(!gate.isOpen)
      gate.open()
      gate.open()
      #expect(Trial { await gate.pass() }.run().isOver)
      #expect(gate.isOpen)
      #expect(gate.held == 0)
    }

    @Test("tasks pass in the order in which they arrived, and only after the gate has been opened")
    func holds() {
      let gate = AsyncGate()
      let log = Locked<[Int]>([])
      let executor = ManualExecutor()
      for number in 0..<3 {
        Task(executorPreference: executor) {
          await gate.pass()
          log.withLock { $0.append(number) }
        }
        executor.runAll()
      }
      #expect(gate.held == 3)
      #expect(log.snapshot == [])
      gate.open()
      executor.runAll()
      #expect(log.snapshot == [0, 1, 2])
      #expect(gate.held == 0)
    }

    @Test("a task that is cancelled passes, and is no longer held", arguments: [false, true])
    func cancelledPass(beforeItStarts: Bool) {
      let gate = AsyncGate()
      let (other, trial) = (Trial { await gate.pass() }, Trial { await gate.pass() })
      other.run()
      if !beforeItStarts {
        trial.run()
        #expect(gate.held == 2)
      }
      trial.cancel()
      #expect(trial.run().isOver)
      #expect(gate.held == 1)
      #expect(!other.run().isOver)
      gate.open()
      #expect(other.run().isOver)
    }

    @Test("waitUntilHeld() suspends until that many tasks are held")
    func waitUntilHeld() {
      let gate = AsyncGate()
      let (one, two) = (
        Trial { try await gate.waitUntilHeld() }.run(), Trial { try await gate.waitUntilHeld(tasks: 2) }.run()
      )
      #expect(!one.isOver)
      let first = Trial { await gate.pass() }.run()
      #expect(one.run().isOver)
      #expect(!two.run().isOver)
      let second = Trial { await gate.pass() }.run()
      #expect(two.run().isOver)
      #expect(Trial { try await gate.waitUntilHeld(tasks: 2) }.run().isOver)
      gate.open()
      #expect(first.run().isOver && second.run().isOver)
    }

    @Test("opening ends every waitUntilHeld(), and later ones return at once")
    func openWakesWaiters() {
      let gate = AsyncGate()
      let trials = (1...2).map { tasks in Trial { try await gate.waitUntilHeld(tasks: tasks) }.run() }
      #expect(trials.allSatisfy { !$0.isOver })
      gate.open()
      #expect(trials.allSatisfy { $0.run().isOver })
      #expect(Trial { try await gate.waitUntilHeld(tasks: 3) }.run().isOver)
    }

    @Test("waitUntilHeld() throws a CancellationError if its task is cancelled", arguments: [false, true])
    func cancelledWait(beforeItStarts: Bool) {
      let gate = AsyncGate()
      let trial = Trial { try await gate.waitUntilHeld() }
      if !beforeItStarts { trial.run() }
      #expect(!trial.isOver)
      trial.cancel()
      #expect(trial.run().error is CancellationError)
    }

    @Test("it holds a loader while its manager goes on")
    func holdsLoader() async throws {
      let gate = AsyncGate()
      let manager = LoadingManager<Int> {
        await gate.pass()
        return 1
      }
      manager.refreshIfNeeded()
      try await gate.waitUntilHeld()
      #expect(manager.publisher.state == .loading(previous: nil))
      gate.open()
      #expect(try await manager.value() == 1)
    }

    @Test("more tasks than the pool has threads can be held at once")
    func holdsMoreThanThePool() async throws {
      let gate = AsyncGate()
      try await withThrowingTaskGroup { group in
        for _ in 0..<500 { group.addTask { await gate.pass() } }
        try await gate.waitUntilHeld(tasks: 500)
        #expect(gate.held == 500)
        gate.open()
      }
      #expect(gate.held == 0)
    }

    @Test("its description tells whether it is open and how many tasks it holds")
    func description() {
      let gate = AsyncGate()
      #expect("\(gate)" == "AsyncGate: closed, holding 0 tasks")
      let held = Trial { await gate.pass() }.run()
      #expect("\(gate)" == "AsyncGate: closed, holding 1 task")
      gate.open()
      #expect("\(gate)" == "AsyncGate: open")
      #expect(held.run().isOver)
    }
  }
}
