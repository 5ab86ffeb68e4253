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
      clock.advance(by: .seconds(4) - .nanoseconds(1))
      #expect((executor.runAll(), clock.sleepers) == (0, 1))
      advance(by: .nanoseconds(1))
      #expect(log.snapshot.last == "later")
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

    /// With a search for each, it would take minutes.
    @Test("however many are cancelled, the others sleep on, in their order", .timeLimit(.minutes(1)))
    func manyCancelled() {
      let tasks = (0..<20_000).map { sleeper("\($0)", for: .seconds($0 % 3)) }
      executor.runAll()
      for (number, task) in tasks.enumerated().reversed() where number % 7_000 != 1 { task.cancel() }
      #expect(clock.sleepers == 2)
      log.withLock { $0 = [] }
      executor.runAll()
      #expect(log.snapshot.count == 13_331)
      log.withLock { $0 = [] }
      advance(by: .seconds(2))
      #expect(log.snapshot == ["1", "7001"])
    }

    @Test("a wait for sleepers suspends until there are as many, until the deadline that it names")
    func waits() async throws {
      let any = Trial { try await clock.waitForSleepers(2) }.run()
      let one = Trial {
        try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(2)), within: .seconds(100))
      }.run()
      sleep(.seconds(1))
      #expect((any.run().isOver, one.run().isOver) == (false, false))
      sleep(.seconds(3))
      #expect((any.run().value != nil, one.run().isOver) == (true, false))
      sleep(.seconds(2))
      #expect(one.run().value != nil)
      advance(by: .seconds(3))
    }

    @Test("a wait for sleepers that ends at its limit names their number and their deadlines, of a long list some")
    func timeout() async throws {
      let none = try await #require(throws: WaitTimeout.self) {
        try await clock.waitForSleepers(1, until: clock.now.advanced(by: .seconds(2)), within: .zero)
      }
      #expect(
        (none.expectation, none.situation) == ("1 sleeping task until 2.0 seconds", "at 0.0 seconds, no task sleeps"))
      sleep(.seconds(30), .seconds(1))
      let line = #line + 1
      let error = try await #require(throws: WaitTimeout.self) {
        try await clock.waitForSleepers(3, within: .milliseconds(20))
      }
      #expect(
        "\(error)" == "Waited 0.02 seconds for 3 sleeping tasks (SubPubTests/ManualClockTests.swift:\(line)); "
          + "at 0.0 seconds, 2 tasks sleep: until 1.0 seconds, 30.0 seconds")
      for _ in 0..<10 { sleep(.seconds(1)) }
      let many = try await #require(throws: WaitTimeout.self) { try await clock.waitForSleepers(13, within: .zero) }
      #expect(many.situation.hasPrefix("at 0.0 seconds, 12 tasks sleep: until 1.0 seconds, "))
      #expect(many.situation.hasSuffix(", …"))
      while clock.advanceToNextDeadline() { executor.runAll() }
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
