import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A manual executor runs jobs only when the test does, in an order that a seed decides")
  struct ManualExecutorTests {
    /// The order in which this seed runs three tasks that suspend between their steps.
    static func trace(seed: UInt64?) -> String {
      let executor = ManualExecutor(seed: seed)
      let log = Locked("")
      for name in ["a", "b", "c"] {
        Task(executorPreference: executor) {
          for _ in 0..<3 {
            log.withLock { $0 += name }
            await Task.yield()
          }
        }
      }
      executor.runAll()
      return log.snapshot
    }

    /// The order in which this seed runs a job for each letter.
    static func order(of letters: String, seed: UInt64) -> String {
      let executor = ManualExecutor(seed: seed)
      let log = Locked("")
      for letter in letters { executor.schedule { log.withLock { $0.append(letter) } } }
      executor.runAll()
      return log.snapshot
    }

    @Test("jobs wait until they are run, and without a seed run in order, so that tasks take turns")
    func firstInFirstOut() {
      let executor = ManualExecutor()
      let log = Locked<[Int]>([])
      for number in 0..<100 {
        Task(executorPreference: executor) { log.withLock { $0.append(number) } }
      }
      #expect((executor.pending, log.snapshot.isEmpty) == (100, true))
      #expect(executor.runOne())
      #expect((executor.pending, log.snapshot) == (99, [0]))
      #expect((executor.runAll(), log.snapshot) == (99, Array(0..<100)))
      #expect(!executor.runOne())
      #expect(executor.runAll() == 0)
      #expect(Self.trace(seed: nil) == "abcabcabc")
    }

    @Test("a seed has one order everywhere", arguments: zip([1, 2, 3], ["efgcbhda", "efdgbhca", "aedhgbfc"]))
    func pinned(seed: UInt64, order: String) {
      #expect(Self.order(of: "abcdefgh", seed: seed) == order)
    }

    @Test("tasks that suspend have one order for each seed, too")
    func sameTrace() {
      let traces = (0..<200 as Range<UInt64>).map { Self.trace(seed: $0) }
      #expect(traces == (0..<200 as Range<UInt64>).map { Self.trace(seed: $0) })
      #expect(Set(traces).count > 100)
    }

    @Test("every order has a seed")
    func everyOrder() {
      let orders = Set((0..<1_000 as Range<UInt64>).map { Self.order(of: "abcd", seed: $0) })
      #expect(orders.count == 24)
    }

    @Test("waitForPending returns when there are as many jobs, or if its task is cancelled")
    func waitForPending() async throws {
      let executor = ManualExecutor()
      await executor.waitForPending(0)
      async let three: Void = executor.waitForPending(3)
      try await OwnThread.run { for _ in 0..<3 { executor.schedule {} } }
      await three
      #expect(executor.runAll() == 3)
      let trial = Trial { await executor.waitForPending(1) }
      #expect(!trial.run().isOver)
      trial.cancel()
      #expect(trial.run().isOver)
    }

    @Test("a job is released after it has run", arguments: [nil, 1] as [UInt64?])
    func stepsAreReleased(seed: UInt64?) {
      let (executor, deaths) = (ManualExecutor(seed: seed), Deaths())
      executor.schedule { [token = deaths.makeToken()] in withExtendedLifetime(token) {} }
      executor.schedule {}
      #expect(deaths.count == 0)
      executor.runAll()
      #expect(deaths.count == 1)
    }
  }
}
