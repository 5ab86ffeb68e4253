import Dispatch
import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("What SubPubTesting gives to a user's own tests")
  struct TestKitTests {
    @Test("a recorder keeps what it gets, and waits for it, up to a limit")
    func recorders() async throws {
      let (publisher, recorder) = (Publisher<Int>(), Recorder<Int>())
      publisher.subscribe(recorder, on: .background)
      publishThree(publisher)
      try await recorder.wait(count: 4)
      #expect(recorder.states == threeStates)
      #expect(recorder.publications.map(\.version) == [0, 1, 2, 3])
      try await recorder.wait(until: { $0.phase == .error })
      publisher.updateData(7)
      try await recorder.wait(within: .seconds(10), until: { $0 == .loaded(7) })
      try await recorder.wait(count: 5, within: .seconds(10))
      #expect(recorder.description == "Recorder<Int>: 5 recorded, the last: loaded(7)")

      let line = #line + 1
      let late = await #expect(throws: RecorderTimeout.self) { try await recorder.wait(count: 100, within: .zero) }
      #expect(late?.expectation == "100 states")
      #expect(late?.limit == .zero)
      #expect(late?.count == 5)
      #expect(late?.lastStates.last == "loaded(7)")
      #expect(late?.fileID == #fileID && late?.line == line)
      #expect(late?.description.contains("5 had arrived") == true)
      await #expect(throws: RecorderTimeout.self) {
        try await recorder.wait(within: .zero, until: { $0 == .loaded(-1) })
      }
    }

    /// An actor that runs by hand.
    private actor Puppet {
      private nonisolated let executor: ManualExecutor
      nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
      private var acts = 0

      init(_ executor: ManualExecutor) { self.executor = executor }

      func act() -> Int {
        acts += 1
        return acts
      }
    }

    @Test("a manual executor runs tasks and actors when it is told to")
    func manualExecutors() async {
      let (executor, journal) = (ManualExecutor(), Journal<Int>())
      #expect(executor.pending == 0)
      #expect(!executor.runOne())
      let first = Task(executorPreference: executor) { journal.add(1) }
      let second = Task(executorPreference: executor) { journal.add(2) }
      #expect(executor.pending == 2)
      #expect(executor.runOne())
      #expect(journal.entries == [1])
      executor.schedule { journal.add(3) }
      #expect(executor.isIsolatingCurrentContext() != true)
      #expect(executor.description.contains("2"))
      #expect(executor.runAll() == 2)
      #expect(journal.entries == [1, 2, 3])
      await first.value
      await second.value

      let puppet = Puppet(executor)
      let acting = Task { await puppet.act() }
      await executor.waitForPending(1)
      executor.runAll()
      #expect(await acting.value == 1)
    }

    @Test("a seed determines the order of a manual executor, and of a generator")
    func seeds() {
      let orders = (1...2).map { _ in
        let (seeded, order) = (ManualExecutor(seed: 42), Journal<Int>())
        for number in 1...20 { Task(executorPreference: seeded) { order.add(number) } }
        #expect(seeded.seed == 42)
        seeded.runAll()
        return order.entries
      }
      #expect(orders[0] == orders[1])
      #expect(orders[0].sorted() == Array(1...20))
      var (one, other) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
      #expect(one.next() == other.next())
    }

    @Test("a gate holds threads until it is opened")
    func gates() async throws {
      let (gate, journal) = (Gate(), Journal<String>())
      async let passing = onAThread {
        gate.pass()
        journal.add("passed")
      }
      try await gate.waitUntilHeld()
      #expect(gate.held == 1)
      #expect(!gate.isOpen)
      #expect("\(gate)" == "Gate: closed, holding 1 thread")
      #expect(journal.entries == [])
      gate.open()
      await passing
      #expect(gate.isOpen)
      #expect(journal.entries == ["passed"])
      gate.pass()  // an open gate holds nobody
    }

    @Test("an asynchronous gate holds tasks until it is opened")
    func asyncGates() async throws {
      let gate = AsyncGate()
      #expect("\(gate)" == "AsyncGate: closed, holding 0 tasks")
      let manager = LoadingManager<Int> {
        await gate.pass()
        return 1
      }
      manager.refreshIfNeeded()
      try await gate.waitUntilHeld()
      try await gate.waitUntilHeld(tasks: 1, within: .seconds(60))
      #expect(gate.held == 1)
      #expect(manager.publisher.state == .loading(previous: nil))
      #expect(!gate.isOpen)
      gate.open()
      #expect(gate.isOpen)
      #expect(await manager.refresh() == .loaded(1))
      await gate.pass()  // an open gate holds nobody
    }

    @Test("a manual clock wakes whoever sleeps when a test advances it")
    func manualClocks() async throws {
      let (clock, journal) = (ManualClock(), Journal<Int>())
      let start: ManualClock.Instant = clock.now
      #expect(clock.sleepers == 0)
      let short = Task {
        try await clock.sleep(for: .seconds(1))
        journal.add(1)
      }
      let long = Task {
        try await clock.sleep(until: start.advanced(by: .seconds(5)), tolerance: nil)
        journal.add(5)
      }
      try await clock.waitForSleepers(2)
      try await clock.waitForSleepers(1, until: start.advanced(by: .seconds(5)), within: .seconds(60))
      #expect(clock.sleepers == 2)
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(1), .seconds(5)])
      #expect(clock.deadlines[0] < clock.deadlines[1])
      #expect(clock.deadlines[0].description == "1.0 seconds")
      #expect(clock.description.contains("2 sleeping"))

      let line = #line + 1
      let late = await #expect(throws: WaitTimeout.self) { try await clock.waitForSleepers(3, within: .zero) }
      #expect(late?.expectation == "3 sleeping tasks")
      #expect(late?.limit == .zero)
      #expect(late?.situation.contains("2 tasks sleep") == true)
      #expect(late?.fileID == #fileID && late?.line == line)
      #expect(late?.description.contains("3 sleeping tasks") == true)

      clock.advance(by: .seconds(2))
      try await short.value
      #expect(journal.entries == [1])
      #expect(clock.sleepers == 1)
      #expect(clock.advanceToNextDeadline())
      try await long.value
      #expect(journal.entries == [1, 5])
      #expect(start.duration(to: clock.now) == .seconds(5))

      let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
      try await clock.waitForSleepers(1)
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      let any: any Clock<Duration> = clock
      #expect(any.minimumResolution == clock.minimumResolution)
    }
  }
}
