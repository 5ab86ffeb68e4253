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
      try await recorder.wait(count: 4, within: patience)
      #expect(recorder.states == threeStates)
      #expect(recorder.publications.map(\.version) == [0, 1, 2, 3])
      try await recorder.wait(within: patience, until: { $0.phase == .error })
      recorder.receive(.loaded(7))  // as a closure or an explicit protocol receives it
      #expect(recorder.description == "Recorder<Int>: 5 recorded, the last: loaded(7)")

      let line = #line + 1
      let late = await #expect(throws: RecorderTimeout.self) { try await recorder.wait(count: 100, within: .zero) }
      #expect((late?.expectation, late?.limit, late?.count) == ("100 states", .zero, 5))
      #expect(late?.lastStates.last == "loaded(7)")
      #expect((late?.fileID, late?.line) == (#fileID, line))
      #expect(late?.description.contains("5 had arrived") == true)
    }

    /// An actor that runs by hand.
    private actor Puppet {
      private nonisolated let executor: ManualExecutor
      nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
      init(_ executor: ManualExecutor) { self.executor = executor }
      func act() { executor.checkIsolated() }
    }

    @Test("a manual executor runs tasks and actors when it is told to, in their order")
    func manualExecutors() async {
      let (executor, journal) = (ManualExecutor(), Journal<Int>())
      let puppet = Puppet(executor)
      let acting = Task { await puppet.act() }
      await executor.waitForPending(1)
      #expect(executor.runOne())
      await acting.value
      executor.schedule { journal.add(1) }
      #expect(executor.isIsolatingCurrentContext() != true)
      #expect(executor.description == "ManualExecutor(), 1 pending")
      #expect(executor.runAll() == 1)
      #expect(journal.entries == [1])
      let seeded = ManualExecutor(seed: 42)
      #expect((seeded.seed, seeded.description) == (42, "ManualExecutor(seed: 42), 0 pending"))
      var (one, other) = (SeededGenerator(seed: 7), SeededGenerator(seed: 7))
      #expect(one.next() == other.next())
    }

    @Test("a gate holds threads until it is opened, and an asynchronous one tasks")
    func gates() async throws {
      let (gate, asyncGate, publisher, listener) = (Gate(), AsyncGate(), Publisher<Int>(), Listener())
      publisher.subscribe(listener, on: .background) { listener, state in
        gate.pass()
        listener.note(state)
      }
      try await gate.waitUntilHeld(within: patience)
      #expect((gate.held, gate.isOpen) == (1, false))
      #expect("\(gate)" == "Gate: closed, holding 1 thread")
      #expect(listener.journal.entries == [])
      gate.open()
      #expect(gate.isOpen)
      await publisher.drain()
      #expect(listener.journal.entries == [.unknown])

      let passing = Task { await asyncGate.pass() }
      try await asyncGate.waitUntilHeld(1, within: patience)
      #expect((asyncGate.held, asyncGate.isOpen) == (1, false))
      #expect("\(asyncGate)" == "AsyncGate: closed, holding 1 task")
      asyncGate.open()
      await passing.value
    }

    @Test("a manual clock wakes whoever sleeps when a test advances it")
    func manualClocks() async throws {
      let clock = ManualClock()
      let start: ManualClock.Instant = clock.now
      let short = Task { try await clock.sleep(for: .seconds(1)) }
      let long = Task { try await clock.sleep(until: start.advanced(by: .seconds(5)), tolerance: nil) }
      try await clock.waitForSleepers(2, within: patience)
      try await clock.waitForSleepers(1, until: start.advanced(by: .seconds(5)), within: patience)
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(1), .seconds(5)])
      #expect(clock.deadlines[0].description == "1.0 seconds")
      #expect(clock.description.contains("2 sleeping"))

      let line = #line + 1
      let late = await #expect(throws: WaitTimeout.self) { try await clock.waitForSleepers(3, within: .zero) }
      #expect((late?.expectation, late?.limit) == ("3 sleeping tasks", .zero))
      #expect(late?.situation.contains("2 tasks sleep") == true)
      #expect((late?.fileID, late?.line) == (#fileID, line))
      #expect(late?.description.contains("3 sleeping tasks") == true)

      clock.advance(by: .seconds(2))
      try await short.value
      #expect(clock.sleepers == 1)
      #expect(clock.advanceToNextDeadline())
      try await long.value
      #expect(start.duration(to: clock.now) == .seconds(5))
      let any: any Clock<Duration> = clock
      #expect(any.minimumResolution == clock.minimumResolution)
    }
  }
}
