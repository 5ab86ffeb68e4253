import Dispatch
import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A wait for sleepers, or for a gate that holds something, ends at its limit and says what was missing")
  struct WaitTimeoutTests {
    private struct Failure: Error {}

    let clock = ManualClock()
    let executor = ManualExecutor()

    /// Starts tasks that sleep on the clock.
    private func sleep(_ durations: Duration...) {
      for duration in durations {
        Task(executorPreference: executor) { try await clock.sleep(for: duration) }
        executor.runAll()
      }
    }

    /// The error that the wait throws.
    private func timeout(of wait: () async throws -> Void) async throws -> WaitTimeout {
      do { try await wait() } catch let error as WaitTimeout { return error }
      throw Failure()
    }

    @Test("waitForSleepers names the number of sleepers and their deadlines")
    func sleepers() async throws {
      clock.advance(by: .seconds(1))
      sleep(.seconds(30), .seconds(1))
      let line = #line + 1
      let error = try await timeout { try await clock.waitForSleepers(3, within: .milliseconds(20)) }
      #expect(
        "\(error)" == "Waited 0.02 seconds for 3 sleeping tasks (SubPubTests/WaitTimeoutTests.swift:\(line)); "
          + "at 1.0 seconds, 2 tasks sleep: until 2.0 seconds, 31.0 seconds")
      #expect(error.limit == .milliseconds(20) && error.line == line)
      // Nothing of the wait is left.
      sleep(.seconds(2))
      #expect(clock.sleepers == 3)
      while clock.advanceToNextDeadline() { executor.runAll() }
    }

    @Test("waitForSleepers says if nobody sleeps, or not until that time, and shortens a long list")
    func otherSleepers() async throws {
      let none = try await timeout { try await clock.waitForSleepers(1, within: .zero) }
      #expect(none.expectation == "1 sleeping task")
      #expect(none.situation == "at 0.0 seconds, no task sleeps")
      sleep(.seconds(1))
      let other = try await timeout {
        try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(2)), within: .zero)
      }
      #expect(other.expectation == "1 sleeping task until 2.0 seconds")
      #expect(other.situation == "at 0.0 seconds, 1 task sleeps: until 1.0 seconds")
      for _ in 0..<10 { sleep(.seconds(1)) }
      let many = try await timeout { try await clock.waitForSleepers(12, within: .zero) }
      #expect(many.situation.hasPrefix("at 0.0 seconds, 11 tasks sleep: until 1.0 seconds, "))
      #expect(many.situation.hasSuffix(", …"))
      clock.advance(by: .seconds(1))
      executor.runAll()
    }

    @Test("waitForSleepers with a deadline suspends until a task sleeps until then")
    func untilDeadline() {
      let trial = Trial { [clock] in
        try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(2)), within: .seconds(100))
      }
      trial.run()
      sleep(.seconds(1), .seconds(3))
      #expect(!trial.run().isOver)
      sleep(.seconds(2))
      #expect(trial.run().value != nil)
      clock.advance(by: .seconds(3))
      executor.runAll()
    }

    @Test("the deadlines are those of the sleeping tasks, the earliest first")
    func deadlines() {
      #expect(clock.deadlines == [])
      sleep(.seconds(3), .seconds(1), .seconds(2), .seconds(1))
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(1), .seconds(1), .seconds(2), .seconds(3)])
      clock.advance(by: .seconds(1))
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(2), .seconds(3)])
      clock.advance(by: .seconds(2))
      #expect(clock.deadlines == [])
      executor.runAll()
    }

    @Test("deadlines tell an attempt that may take half a minute from a second's pause before the next one")
    func timeoutAndRetry() async throws {
      let (failing, hanging) = (AsyncGate(), AsyncGate())
      let calls = Locked(0)
      let manager = LoadingManager<Int>(
        timeout: .seconds(30),
        retry: .exponential(maxAttempts: 3, initial: .seconds(1), maximum: .seconds(1)), clock: clock
      ) {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        if call == 1 {
          await failing.pass()
          throw Failure()
        }
        if call == 2 { await hanging.pass() }
        return call
      }
      manager.refreshIfNeeded()
      try await clock.waitForSleepers(1)
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(30)])
      failing.open()
      try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(1)), within: Event.limit)
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(1)])
      clock.advance(by: .seconds(1))
      try await hanging.waitUntilHeld()
      try await clock.waitForSleepers(1)
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(31)])
      clock.advance(by: .seconds(30))
      try await clock.waitForSleepers(1)
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(32)])
      clock.advance(by: .seconds(1))
      #expect(try await manager.value() == 3)
    }

    @Test("a gate names how many threads it was to hold, and how many it holds")
    func gate() async throws {
      let gate = Gate()
      defer { gate.open() }
      let line = #line + 1
      let error = try await timeout { try await gate.waitUntilHeld(within: .milliseconds(20)) }
      #expect(
        "\(error)"
          == "Waited 0.02 seconds for a gate that holds 1 thread (SubPubTests/WaitTimeoutTests.swift:\(line)); "
          + "the gate is closed, holding 0 threads")
      DispatchQueue(label: "held").async { gate.pass() }
      try await gate.waitUntilHeld()
      let second = try await timeout { try await gate.waitUntilHeld(threads: 2, within: .zero) }
      #expect(second.expectation == "a gate that holds 2 threads")
      #expect(second.situation == "the gate is closed, holding 1 thread")
      gate.open()
      try await gate.waitUntilHeld(threads: 2, within: .zero)
    }

    @Test("an async gate names how many tasks it was to hold, and how many it holds")
    func asyncGate() async throws {
      let gate = AsyncGate()
      let trial = Trial { await gate.pass() }.run()
      let line = #line + 1
      let error = try await timeout { try await gate.waitUntilHeld(tasks: 2, within: .milliseconds(20)) }
      #expect(
        "\(error)" == "Waited 0.02 seconds for a gate that holds 2 tasks (SubPubTests/WaitTimeoutTests.swift:\(line)); "
          + "the gate is closed, holding 1 task")
      try await gate.waitUntilHeld(within: .zero)
      gate.open()
      try await gate.waitUntilHeld(tasks: 2, within: .zero)
      #expect(trial.run().isOver)
    }
  }
}
