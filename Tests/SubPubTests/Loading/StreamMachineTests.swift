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

    static let expected: [StreamMachineBench.Phase: String] = [
      .idle: """
      arrive: loading, starts run 1
      """,
      .begun: """
      depart: departure
      endManager: unknown, ends the run
      supersede: ends the run
      receive: loaded(7)
      fail: error(Refusal())
      failForGood: error(Refusal())
      retry: loading
      endTask: unknown, ends the run
      """,
      .running: """
      depart: departure
      endManager: ends the run
      supersede: ends the run
      receive: loaded(7)
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7)
      retry: loading(previous: 7)
      endTask: ends the run
      """,
      .failed: """
      depart: departure
      endManager: ends the run
      supersede: ends the run
      receive: loaded(7)
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7)
      retry: loading(previous: 7)
      endTask: ends the run
      """,
      .retrying: """
      depart: departure
      endManager: error(Refusal(), previous: 7), ends the run
      supersede: ends the run
      receive: loaded(7)
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7)
      retry: loading(previous: 7)
      endTask: error(Refusal(), previous: 7), ends the run
      """,
      .left: """
      arrive: ends the departure
      depart: departure
      endAfterDeparture: ends the run, ends the departure
      endManager: ends the run, ends the departure
      supersede: ends the run
      receive: loaded(7)
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7)
      retry: loading(previous: 7)
      endTask: ends the run
      """,
      .endedWithTask: """
      arrive: loading(previous: 7)
      request: loading(previous: 7)
      """,
      .waiting: """
      depart: departure
      endManager: loaded(7), ends the run
      supersede: ends the run
      receive: loaded(7)
      fail: error(Refusal(), previous: 7)
      failForGood: error(Refusal(), previous: 7)
      retry: loading(previous: 7)
      endTask: starts run 2
      """,
      .ended: """
      arrive: loading(previous: 7), starts run 2
      request: loading(previous: 7), starts run 2
      """,
    ]
  }

  /// A machine with the state that is shown, in one of the phases.
  struct StreamMachineBench {
    enum Phase: String, CaseIterable, CustomTestStringConvertible {
      case idle, begun, running, failed, retrying, left, endedWithTask, waiting, ended
      var testDescription: String { rawValue }
    }

    enum Operation: String, CaseIterable {
      case arrive, depart, sameNotice, request, requestOfFirst, endAfterDeparture, endAfterArrival, endManager,
        supersede
      case receive, fail, failForGood, retry, endTask
    }

    struct Refusal: Error {}

    private var machine = StreamMachine<Int>()
    private var notice: UInt64 = 0
    private var (departure, isWaiting) = (Departure(notice: 0), false)
    /// The run whose task is executing.
    private var task = RunID(number: 0)
    private var shown = Publication<Int>(.unknown, source: PublisherID(label: nil), provenance: nil)

    init(_ phase: Phase) {
      let operations: [Operation] =
        switch phase {
        case .idle: []
        case .begun: [.arrive]
        case .running: [.arrive, .receive]
        case .failed: [.arrive, .receive, .fail]
        case .retrying: [.arrive, .receive, .fail, .retry]
        case .left: [.arrive, .receive, .depart]
        case .endedWithTask: [.arrive, .receive, .supersede]
        case .waiting: [.arrive, .receive, .supersede, .request]
        case .ended: [.arrive, .receive, .endTask]
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
        return follow(machine.noteListeners(present(operation == .arrive)))
      case .sameNotice: return follow(machine.noteListeners(present(notice % 2 == 0)))
      case .request: return follow(machine.beginIfListenedTo(ifRunsAre: nil, present()))
      case .requestOfFirst: return follow(machine.beginIfListenedTo(ifRunsAre: 0, present()))
      case .endAfterDeparture: return follow(machine.end(after: departure, present()))
      case .endAfterArrival:
        notice += 1
        defer { notice -= 1 }
        return follow(machine.end(after: departure, present()))
      case .endManager: return follow(machine.endManager(present()))
      case .supersede: return follow(machine.supersede())
      case .receive: return follow(machine.receive(7, of: run, present()))
      case .fail: return follow(machine.fail(Refusal(), isLast: false, of: run, present()))
      case .failForGood: return follow(machine.fail(Refusal(), isLast: true, of: run, present()))
      case .retry: return follow(machine.retry(of: run, present()))
      case .endTask: return follow(machine.endTask(of: task, present()))
      }
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
      if step.endsRun { words.append("ends the run") }
      if let run = step.started {
        task = run
        words.append("starts run \(run.number)")
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
