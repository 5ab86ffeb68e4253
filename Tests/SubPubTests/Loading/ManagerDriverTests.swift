#if DEBUG
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  /// What users can't see: whatever has ended is forgotten.
  @Suite("Managers forget what has ended", .hangLimit)
  struct ManagerDriverTests {
    @Test("a task that is cancelled while it waits for the end of a stream")
    func required_5_21_cancelledWait() throws {
      let bench = StreamBench()
      let listener = bench.listen()
      let owner = try #require(bench.manager).driver.owner
      let waiting = bench.waitForEnd()
      #expect(owner.machine.endWaiters.count == 1)
      bench.cancel(waiting)
      #expect(owner.machine.endWaiters == [])
      bench.leave(listener)
    }

    @Test("the task that has followed a stream's sequence")
    func required_5_21_follower() throws {
      let bench = StreamBench()
      let listener = bench.listen()
      let owner = try #require(bench.manager).driver.owner
      #expect(owner.follower != nil)
      bench.end()
      #expect(owner.follower == nil)
      bench.leave(listener)
    }

    @Test("a poll's pauses, and its watch for listeners")
    func required_5_17_poll() {
      let bench = LoadBench()
      let driver = bench.manager.driver
      let listener = Recorder<Int>()
      bench.publisher.subscribe(listener, on: .immediate)
      let poll = bench.call { [manager = bench.manager] in
        await manager.refresh(every: .seconds(10), pausingWithoutListeners: true)
      }
      for call in 0..<3 {
        bench.answer(call, call)
        #expect(driver.owner.machine.polls.pausing.count == 1)
        bench.pass(.seconds(10))
      }
      #expect(driver.owner.machine.polls.pausing == [:])
      #expect(driver.registry.turn { $0.listenerNotices.count } == 1)
      bench.cancel(poll)
      #expect(driver.registry.turn { $0.listenerNotices.count } == 0)
    }

    @Test("attempts of a load that has ended don't begin, nor does one twice")
    func required_5_04_attempts() {
      let run = Run<Int>(RunID(number: 1), .whole, reading: nil)
      #expect([1, 1, 2].map(run.beginAttempt) == [true, false, true])
      #expect(run.endAttempts() == 2)
      #expect(!run.beginAttempt(3))
    }

    @Test("a value between two edits dies before the next one is made")
    func required_5_20_between() async {
      /// Counts those that live.
      final class Counted: Sendable {
        static let living = Locked((now: 0, most: 0))
        init() { Self.living.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        deinit { Self.living.withLock { $0.now -= 1 } }
      }
      let bench = LoadBench()
      let gate = AsyncGate()
      let options = LoadingOptions<Counted>(on: bench.executor, clock: bench.clock) { $0.initial = Counted() }
      let manager = LoadingManager(options) { Counted() }
      let edits = (0..<50).map { _ in
        bench.call { try? await manager.mutate(showing: { _ in Counted() }, sendOnly: { await gate.pass() }) }
      }
      // The server's data, what is shown, and what is being made from the former.
      #expect(Counted.living.withLock { $0.most } <= 5)
      gate.open()
      bench.run()
      #expect(edits.allSatisfy { $0.result != nil })
    }
  }
#endif
