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
      for (phase, decision) in [(StreamMachineBench.Phase.begun, "unknown, cancelled"), (.running, "cancelled")] {
        var bench = StreamMachineBench(phase, endsAtOnce: true)
        #expect(bench.perform(.depart) == decision)
        #expect(!bench.hasRun)
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
      showLoading: loading
      endTask: unknown, finished
      """,
      .cached: """
      depart: departure
      restart: loading(previous: 5), cancelled, begins run 2
      endManager: loaded(5), cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      find: loaded(5)
      receive: loaded(7), written
      fail: error(Refusal(), previous: 5)
      failForGood: error(Refusal(), previous: 5), failed
      showLoading: loading(previous: 5)
      endTask: loaded(5), finished
      """,
      .running: """
      depart: departure
      restart: loading(previous: 7), cancelled, begins run 2
      endManager: cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      find: loaded(5)
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
      find: loaded(5)
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
      find: loaded(5)
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      showLoading: loading(previous: 7)
      endTask: error(Refusal(), previous: 7), finished
      """,
      .left: """
      arrive: ends the departure
      depart: departure
      endAfterDeparture: cancelled, ends the departure
      endManager: cancelled, ends the departure
      supersede: cancelled
      endPublisher: cancelled, ends the departure
      logout: unknown, cancelled, cleared
      find: loaded(5)
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      showLoading: loading(previous: 7)
      endTask: finished
      """,
      .restarted: """
      depart: departure
      restart: loading(previous: 7), cancelled, begins run 3
      endManager: error(Refusal(), previous: 7), cancelled
      supersede: cancelled
      endPublisher: cancelled
      logout: unknown, cancelled, cleared
      find: loaded(5)
      receive: loaded(7), written
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7), failed
      showLoading: loading(previous: 7)
      endTask: error(Refusal(), previous: 7), finished
      """,
      .superseded: """
      arrive: loading(previous: 7), begins run 2
      request: loading(previous: 7), begins run 2
      restart: loading(previous: 7), begins run 2
      logout: unknown, cleared
      """,
      .ended: """
      arrive: loading(previous: 7), begins run 2
      request: loading(previous: 7), begins run 2
      restart: loading(previous: 7), begins run 2
      logout: unknown, cleared
      """,
      .finished: """
      logout: unknown, cleared
      """,
      .loggedOut: """
      arrive: loading, begins run 2 with the cache
      request: loading, begins run 2 with the cache
      restart: loading, begins run 2 with the cache
      logout: unknown, cleared
      """,
    ]
  }

  /// A machine with the state that is shown, in one of the phases.
  struct StreamMachineBench {
    enum Phase: String, CaseIterable, CustomTestStringConvertible {
      case idle, begun, cached, running, failed, retrying, left, restarted, superseded, ended, loggedOut, finished
      var testDescription: String { rawValue }
    }

    enum Operation: String, CaseIterable {
      case arrive, depart, sameNotice, request, requestOfFirst, restart, endAfterDeparture, endAfterArrival, endManager,
        supersede, endPublisher, logout
      case find, receive, receiveLate, fail, failForGood, showLoading, endTask
    }

    struct Refusal: Error {}

    private var machine: StreamMachine<Int>
    private var notice: UInt64 = 0
    private var (departure, isWaiting) = (Departure(notice: 0), false)
    /// Who was told that the run has ended.
    private(set) var answered: [WaiterID] = []
    private var shown = Publication<Int>(.unknown, source: PublisherID(label: nil), provenance: nil)

    init(_ phase: Phase, endsAtOnce: Bool = false) {
      machine = StreamMachine(endsAtOnce: endsAtOnce)
      let operations: [Operation] =
        switch phase {
        case .idle: []
        case .begun: [.arrive]
        case .cached: [.arrive, .find, .showLoading]
        case .running: [.arrive, .receive]
        case .failed: [.arrive, .receive, .fail]
        case .retrying: [.arrive, .receive, .fail, .showLoading]
        case .left: [.arrive, .receive, .depart]
        case .restarted: [.arrive, .receive, .fail, .restart]
        case .superseded: [.arrive, .receive, .supersede]
        case .ended: [.arrive, .receive, .endTask]
        case .loggedOut: [.arrive, .receive, .logout]
        case .finished: [.arrive, .receive, .endPublisher]
        }
      for operation in operations { perform(operation) }
    }

    /// Performs an operation, and says what the machine has decided.
    @discardableResult
    mutating func perform(_ operation: Operation) -> String {
      let run = machine.run?.id ?? RunID(number: 0)
      switch operation {
      case .arrive, .depart:
        notice += 1
        return follow(machine.noteListeners(present(operation == .arrive)) ?? .init())
      case .sameNotice: return follow(machine.noteListeners(present(notice % 2 == 0)) ?? .init())
      case .request: return follow(machine.beginIfListenedTo(ifRunsAre: nil, present()))
      case .requestOfFirst: return follow(machine.beginIfListenedTo(ifRunsAre: 0, present()))
      case .restart: return follow(machine.beginIfListenedTo(ifRunsAre: nil, restarting: true, present()))
      case .endAfterDeparture: return follow(machine.end(after: departure, present()))
      case .endAfterArrival:
        notice += 1
        defer { notice -= 1 }
        return follow(machine.end(after: departure, present()))
      case .endManager: return follow(machine.endManager(present()))
      case .supersede: return follow(machine.supersede())
      case .endPublisher: return follow(machine.endPublisher())
      case .logout: return follow(machine.logout(present()))
      case .find: return follow(machine.find(Cached(value: 5, age: .seconds(1)), freshSince: nil, of: run, present()))
      case .receive: return follow(machine.receive(7, at: nil, of: run, present()))
      case .receiveLate:
        let late = RunID(number: run.number, attempt: run.attempt - 1)
        return follow(machine.receive(8, at: nil, of: late, present()))
      case .fail: return follow(machine.fail(Refusal(), isLast: false, of: run, present()))
      case .failForGood: return follow(machine.fail(Refusal(), isLast: true, of: run, present()))
      case .showLoading: return follow(machine.showLoading(of: run, present()))
      case .endTask: return follow(machine.endTask(of: run, nil, present()))
      }
    }

    var hasRun: Bool { machine.run != nil }

    /// With a notice that is on its way, or none.
    func isRunning(_ isListenedTo: Bool?) -> Bool { machine.isRunning(isListenedTo.map { ($0, notice + 1) }) }

    /// Two tasks wait, and one of them is cancelled.
    mutating func addEndWaiters(_ waiter: WaiterID, cancelled: WaiterID) {
      for waiter in [cancelled, waiter] { machine.addEndWaiter(waiter) }
      machine.removeEndWaiter(cancelled)
    }

    private func present(_ isListenedTo: Bool = true) -> StreamMachine<Int>.Present {
      StreamMachine.Present(publication: shown, notice: (isListenedTo, notice))
    }

    private mutating func follow(_ step: StreamMachine<Int>.Step) -> String {
      var words: [String] = []
      if let published = step.publisher.published {
        shown = published
        words.append("\(shown.state)")
      }
      switch step.end {
      case .finished: words.append("finished")
      case .failed: words.append("failed")
      case .cancelled: words.append("cancelled")
      case nil: break
      }
      answered += step.publisher.answered
      if let (run, readsCache) = step.begun {
        words.append("begins run \(run.number)\(readsCache ? " with the cache" : "")")
      }
      switch step.cacheChange {
      case .write: words.append("written")
      case .clear: words.append("cleared")
      case nil: break
      }
      if isWaiting, machine.departure == nil { words.append("ends the departure") }
      isWaiting = machine.departure != nil
      if let left = step.departure {
        departure = left
        words.append("departure")
      }
      return words.joined(separator: ", ")
    }
  }
#endif
