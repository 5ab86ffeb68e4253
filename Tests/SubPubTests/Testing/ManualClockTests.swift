import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A manual clock moves only when it is advanced")
  struct ManualClockTests {
    let clock = ManualClock()
    let executor = ManualExecutor()
    let log = Locked<[String]>([])

    /// Starts a task that sleeps, and then logs its name, with the error if there is one.
    @discardableResult
    func sleeper(_ name: String = "", for duration: Duration) -> Task<Void, Never> {
      Task(executorPreference: executor) {
        do {
          try await clock.sleep(for: duration)
          log.withLock { $0.append(name) }
        } catch {
          log.withLock { $0.append("\(name): \(type(of: error))") }
        }
      }
    }

    /// Starts tasks that sleep.
    private func sleep(_ durations: Duration...) {
      for duration in durations { sleeper(for: duration) }
      executor.runAll()
    }

    private func advance(by duration: Duration) {
      clock.advance(by: duration)
      executor.runAll()
    }

    @Test("it starts at zero and adds up its advances, and its instants have an order and a distance")
    func now() {
      let start = clock.now
      #expect((clock.now.sinceStart, clock.minimumResolution) == (.zero, .zero))
      clock.advance(by: .seconds(1))
      clock.advance(by: .zero)
      clock.advance(by: .milliseconds(500))
      let later = clock.now
      #expect((start < later, later.sinceStart) == (true, .milliseconds(1500)))
      #expect(start.duration(to: later) == .milliseconds(1500))
      #expect(later.duration(to: start) == .milliseconds(-1500))
      #expect(("\(later)", "\(clock)") == ("1.5 seconds", "ManualClock at 1.5 seconds, 0 sleeping"))
    }

    @Test("a sleep ends at its deadline, and not before")
    func deadline() {
      sleep(.seconds(2))
      #expect(clock.sleepers == 1)
      clock.advance(by: .milliseconds(1999))
      #expect((executor.runAll(), clock.sleepers) == (0, 1))
      clock.advance(by: .milliseconds(1))
      #expect(clock.sleepers == 0)
      executor.runAll()
      #expect(log.snapshot == [""])
    }

    @Test("sleeps end in the order of their deadlines, and equal deadlines in the order of the calls")
    func order() {
      for (name, seconds) in [("c", 3), ("a", 1), ("d", 3), ("b", 2), ("later", 9)] {
        sleeper(name, for: .seconds(seconds))
      }
      #expect(clock.deadlines == [])
      executor.runAll()
      #expect(clock.sleepers == 5)
      #expect(clock.deadlines.map(\.sinceStart) == [1, 2, 3, 3, 9].map { .seconds($0) })
      advance(by: .seconds(5))
      #expect(log.snapshot == ["a", "b", "c", "d"])
      #expect(clock.deadlines.map(\.sinceStart) == [.seconds(9)])
      advance(by: .seconds(4))
      #expect(log.snapshot.last == "later")
    }

    @Test("a deadline that has passed doesn't suspend")
    func passedDeadline() async throws {
      clock.advance(by: .seconds(1))
      try await clock.sleep(until: clock.now)
      try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)), tolerance: .seconds(1))
      try await clock.sleep(for: .zero)
    }

    @Test("a task that is already cancelled doesn't sleep", arguments: [Duration.seconds(1), .zero])
    func cancelledBefore(duration: Duration) {
      sleeper("a", for: duration).cancel()
      executor.runAll()
      #expect((log.snapshot, clock.sleepers) == (["a: CancellationError"], 0))
    }

    @Test("whichever comes first, deadline or cancellation, ends the sleep, which isn't counted from then on")
    func firstCounts() {
      let woken = sleeper("woken", for: .seconds(1))
      let cancelled = sleeper("cancelled", for: .seconds(2))
      executor.runAll()
      clock.advance(by: .seconds(1))
      woken.cancel()
      #expect(clock.sleepers == 1)
      cancelled.cancel()
      #expect(clock.sleepers == 0)
      advance(by: .seconds(1))
      #expect(log.snapshot == ["woken", "cancelled: CancellationError"])
    }

    @Test("waitForSleepers suspends until there are as many sleeps, and then returns at once")
    func waitForSleepers() async throws {
      try await clock.waitForSleepers(0)
      let trial = Trial { try await clock.waitForSleepers(2) }
      sleep(.seconds(1))
      #expect(!trial.run().isOver)
      sleep(.seconds(1))
      #expect(trial.run().value != nil)
      try await clock.waitForSleepers(2)
      advance(by: .seconds(1))
    }

    @Test("waitForSleepers with a deadline suspends until a task sleeps until then")
    func untilDeadline() {
      let trial = Trial {
        try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(2)), within: .seconds(100))
      }
      trial.run()
      sleep(.seconds(1), .seconds(3))
      #expect(!trial.run().isOver)
      sleep(.seconds(2))
      #expect(trial.run().value != nil)
      advance(by: .seconds(3))
    }

    @Test("a wait for sleepers that ends at its limit names their number and their deadlines")
    func timeout() async throws {
      clock.advance(by: .seconds(1))
      sleep(.seconds(30), .seconds(1))
      let line = #line + 1
      let error = try await #require(throws: WaitTimeout.self) {
        try await clock.waitForSleepers(3, within: .milliseconds(20))
      }
      #expect(
        "\(error)" == "Waited 0.02 seconds for 3 sleeping tasks (SubPubTests/ManualClockTests.swift:\(line)); "
          + "at 1.0 seconds, 2 tasks sleep: until 2.0 seconds, 31.0 seconds")
      #expect(error.limit == .milliseconds(20) && error.line == line)
      // Nothing of the wait is left.
      sleep(.seconds(2))
      #expect(clock.sleepers == 3)
      while clock.advanceToNextDeadline() { executor.runAll() }
    }

    @Test("a wait that has ended at its limit says if nobody sleeps, or not until then, and shortens a long list")
    func otherTimeouts() async throws {
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
      advance(by: .seconds(1))
    }

    @Test("advanceToNextDeadline() runs a timed program to its end")
    func advanceToNextDeadline() {
      Task(executorPreference: executor) {
        for _ in 0..<3 {
          try await clock.sleep(for: .seconds(2))
          log.withLock { $0.append("\(clock.now)") }
        }
      }
      sleeper("once", for: .seconds(3))
      repeat { executor.runAll() } while clock.advanceToNextDeadline()
      #expect(log.snapshot == ["2.0 seconds", "once", "4.0 seconds", "6.0 seconds"])
      #expect(clock.now.sinceStart == .seconds(6))
    }

    @Test("it can be used as any Clock, with the extensions of the standard library")
    func anyClock() async throws {
      let any: any Clock<Duration> = clock
      async let slept: Void = any.sleep(for: .seconds(3))
      try await clock.waitForSleepers(1)
      let advanced = clock.measure { clock.advance(by: .seconds(3)) }
      try await slept
      #expect(advanced == .seconds(3))
    }

    @Test("a thousand sleeps on real threads all end")
    func manySleepers() async throws {
      try await withThrowingTaskGroup { group in
        for number in 0..<1_000 {
          group.addTask { try await clock.sleep(for: .milliseconds(number % 7 + 1)) }
        }
        try await clock.waitForSleepers(1_000)
        for _ in 0..<7 { clock.advance(by: .milliseconds(1)) }
        try await group.waitForAll()
      }
      #expect(clock.sleepers == 0)
    }

    @Test("advancing and cancelling at the same time ends every sleep")
    func advanceAgainstCancel() async throws {
      for _ in 0..<500 {
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        await withTaskGroup { group in
          group.addTask { task.cancel() }
          group.addTask { clock.advance(by: .seconds(1)) }
        }
        if case .failure(let error) = await task.result { #expect(error is CancellationError) }
        #expect(clock.sleepers == 0)
      }
    }
  }
}
