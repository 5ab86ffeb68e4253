import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A wait for sleepers ends at its limit and says what was missing")
  struct WaitTimeoutTests {
    let clock = ManualClock()
    let executor = ManualExecutor()

    /// Starts tasks that sleep on the clock.
    private func sleep(_ durations: Duration...) {
      for duration in durations {
        Task(executorPreference: executor) { try await clock.sleep(for: duration) }
        executor.runAll()
      }
    }

    @Test("waitForSleepers names the number of sleepers and their deadlines")
    func sleepers() async throws {
      clock.advance(by: .seconds(1))
      sleep(.seconds(30), .seconds(1))
      let line = #line + 1
      let error = try await #require(throws: WaitTimeout.self) {
        try await clock.waitForSleepers(3, within: .milliseconds(20))
      }
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
      let none = try await #require(throws: WaitTimeout.self) { try await clock.waitForSleepers(1, within: .zero) }
      #expect(none.expectation == "1 sleeping task")
      #expect(none.situation == "at 0.0 seconds, no task sleeps")
      sleep(.seconds(1))
      let other = try await #require(throws: WaitTimeout.self) {
        try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(2)), within: .zero)
      }
      #expect(other.expectation == "1 sleeping task until 2.0 seconds")
      #expect(other.situation == "at 0.0 seconds, 1 task sleeps: until 1.0 seconds")
      for _ in 0..<10 { sleep(.seconds(1)) }
      let many = try await #require(throws: WaitTimeout.self) { try await clock.waitForSleepers(12, within: .zero) }
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
  }
}
