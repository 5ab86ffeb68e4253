#if DEBUG
  import SubPub
  import Testing

  @testable import SubPub

  /// Every operation in every phase, as a value: what a turn decides.
  @Suite("The machine of streams decides everything in its turns")
  struct StreamMachineTests {
    /// What isn't in the table decides nothing.
    @Test("every operation in every phase", arguments: StreamMachineBench.Phase.allCases)
    func required_5_21_operations(in phase: StreamMachineBench.Phase) {
      let table = StreamMachineBench.Operation.allCases.compactMap { operation in
        var bench = StreamMachineBench(phase)
        let decision = bench.perform(operation)
        return decision.isEmpty ? nil : "\(operation): \(decision)"
      }
      let expected = (Self.expected[phase] ?? "").split(separator: "\n").map(String.init)
      #expect(table == expected)
    }

    @Test("without a time for which it is kept alive, a run ends in the turn that finds its last listener gone")
    func required_5_21_endsAtOnce() {
      let decisions = [
        (StreamMachineBench.Phase.begun, "unknown, cancelled"), (.running, "cancelled"), (.failed, "cancelled"),
        // The loading of another attempt is taken back, and the error stays.
        (.retrying, "error(Refusal(), previous: 7), cancelled"),
      ]
      for (phase, decision) in decisions {
        var bench = StreamMachineBench(phase, endsAtOnce: true)
        #expect(bench.perform(.depart) == decision)
        #expect(!bench.hasRun)
      }
    }

    @Test("then it has also ended if another listener has come before the machine knows, and the next one begins")
    func required_5_21_endsBetween() {
      for phase in [StreamMachineBench.Phase.begun, .running, .failed] {
        var bench = StreamMachineBench(phase, endsAtOnce: true)
        let decision = bench.perform(.departAndArrive)
        #expect(decision.hasPrefix("loading") && decision.contains("cancelled, begins run 2"))
        var kept = StreamMachineBench(phase)
        #expect(kept.perform(.departAndArrive) == "")
      }
    }

    @Test("a run is active from the moment at which its first listener has come, however late the notice is")
    func required_5_21_isRunning() {
      for endsAtOnce in [false, true] {
        let (idle, running) = (
          StreamMachineBench(.idle, endsAtOnce: endsAtOnce), StreamMachineBench(.running, endsAtOnce: endsAtOnce)
        )
        #expect((idle.isRunning(true), idle.isRunning(false), idle.isRunning(nil)) == (true, false, false))
        #expect((running.isRunning(true), running.isRunning(nil)) == (true, true))
        #expect(running.isRunning(false) != endsAtOnce)
        let finished = StreamMachineBench(.finished, endsAtOnce: endsAtOnce)
        #expect((finished.isRunning(true), finished.isRunning(nil)) == (false, false))
      }
    }

    @Test("whoever waits for the next run is told of the end of the publisher, too")
    func required_5_21_3_09_nextRun() {
      var waiters = Waiters()
      for operation in [StreamMachineBench.Operation.endPublisher, .endManager] {
        var bench = StreamMachineBench(.idle)
        let (waiter, cancelled) = (waiters.add(missing: 1), waiters.add(missing: 1))
        bench.addEndWaiters(waiter, cancelled: cancelled)
        bench.perform(.supersede)
        #expect(bench.answered == [])
        bench.perform(operation)
        #expect(bench.answered == [waiter])
      }
    }

    @Test("a sequence begins when the one before is gone, and only the last attempt waits for that")
    func required_5_21_oneSequence() {
      var (machine, waiters) = (StreamMachine<Int>(), Waiters())
      #expect(machine.beginIterating(orWait: waiters.add(missing: 1)) == nil)
      let over = machine.beginIterating(orWait: waiters.add(missing: 1))
      let last = machine.beginIterating(orWait: waiters.add(missing: 1))
      #expect(over != nil && last != nil && over != last)
      #expect(machine.endIterating() == last)
      #expect(machine.beginIterating(orWait: waiters.add(missing: 1)) == nil)
      #expect(machine.endIterating() == nil)
    }

    @Test("who waits for the end is told once, whatever ends the run, and isn't told of a restart")
    func required_5_21_endWaiters() {
      var waiters = Waiters()
      for operation in StreamMachineBench.Operation.allCases {
        var bench = StreamMachineBench(.running)
        let (waiter, cancelled) = (waiters.add(missing: 1), waiters.add(missing: 1))
        bench.addEndWaiters(waiter, cancelled: cancelled)
        bench.perform(operation)
        #expect(bench.answered == (bench.hasRun ? [] : [waiter]), "\(operation)")
      }
    }

    static let expected: [StreamMachineBench.Phase: String] = [
      .idle: """
      arrive: loading, begins run 1 with the cache
      departAndArrive: loading, begins run 1 with the cache
      logout: unknown, cleared
      """,
      .begun: """
      depart: departure
      restart: loading, cancelled, begins run 2 with the cache
      endManager: unknown, cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      find: loaded(5)
      receive: loaded(7), written
      fail: error(Refusal())
      failForGood: error(Refusal()), failed
      endTask: unknown, finished
      """,
      .cached: """
      depart: departure
      restart: loading(previous: 5), cancelled, begins run 2
      endManager: loaded(5), cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      receive: loaded(7), written
      fail: error(Refusal(), previous: 5)
      failForGood: error(Refusal(), previous: 5), failed
      endTask: loaded(5), finished
      """,
      .running: """
      depart: departure
      restart: loading(previous: 7), cancelled, begins run 2
      endManager: cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      showLoading: loading(previous: 7)
      endTask: finished
      """,
      .failed: """
      depart: departure
      restart: loading(previous: 7), cancelled, begins run 2
      endManager: cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      showLoading: loading(previous: 7)
      endTask: finished
      """,
      .retrying: """
      depart: departure
      restart: loading(previous: 7), cancelled, begins run 2
      endManager: error(Refusal(), previous: 7), cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      endTask: error(Refusal(), previous: 7), finished
      """,
      .left: """
      arrive: ends the departure
      depart: departure
      departAndArrive: ends the departure
      endAfterDeparture: cancelled, ends the departure
      endManager: cancelled, ends the departure
      supersede: cancelled, ends the departure
      endPublisher: cancelled, ends the departure
      logout: unknown, cancelled, cleared, ends the departure
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed, ends the departure
      showLoading: loading(previous: 7)
      endTask: finished, ends the departure
      """,
      .restarted: """
      depart: departure
      restart: loading(previous: 7), cancelled, begins run 3
      endManager: error(Refusal(), previous: 7), cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      endTask: error(Refusal(), previous: 7), finished
      """,
      .superseded: """
      arrive: loading(previous: 7), begins run 2
      departAndArrive: loading(previous: 7), begins run 2
      request: loading(previous: 7), begins run 2
      restart: loading(previous: 7), begins run 2
      logout: unknown, cleared
      """,
      .ended: """
      arrive: loading(previous: 7), begins run 2
      departAndArrive: loading(previous: 7), begins run 2
      request: loading(previous: 7), begins run 2
      restart: loading(previous: 7), begins run 2
      logout: unknown, cleared
      """,
      .finished: """
      logout: unknown, cleared
      """,
      .loggedOut: """
      arrive: loading, begins run 2 with the cache
      departAndArrive: loading, begins run 2 with the cache
      request: loading, begins run 2 with the cache
      restart: loading, begins run 2 with the cache
      logout: unknown, cleared
      """,
    ]
  }
#endif
