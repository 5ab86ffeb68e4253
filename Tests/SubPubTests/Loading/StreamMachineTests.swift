#if DEBUG
  import SubPub
  import Testing

  @testable import SubPub

  /// Every operation in every phase, as a value: what a turn decides.
  @Suite("The machine of streams decides everything in its turns")
  struct StreamMachineTests {
    @Test("every operation in every phase", arguments: StreamMachineBench.Phase.allCases)
    func required_5_21_operations(in phase: StreamMachineBench.Phase) {
      var table: [String] = []
      for operation in StreamMachineBench.Operation.allCases {
        var bench = StreamMachineBench(phase)
        table.append("\(operation): \(bench.perform(operation))")
      }
      let expected = (Self.expected[phase] ?? "").split(separator: "\n").map(String.init)
      #expect(table == expected)
    }

    static let expected: [StreamMachineBench.Phase: String] = [:]
  }

  /// A machine with the state that is shown, in one of the phases.
  struct StreamMachineBench {
    enum Phase: String, CaseIterable, CustomTestStringConvertible {
      case idle, begun, running, failed, retrying, left, endedWithTask, waiting, ended
      var testDescription: String { rawValue }
    }

    enum Operation: String, CaseIterable {
      case arrive, depart, lateNotice, request, requestOfFirst, endAfterDeparture, endManager, supersede
      case receive, fail, failForGood, retry, endTask
    }

    struct Refusal: Error {}

    private var machine = StreamMachine<Int>()
    private var notice: UInt64 = 0
    private var departure = Departure(notice: 0)
    /// The run whose task is executing.
    private var task = RunID(number: 0)
    private var (state, provenance) = (LoadState<Int>.unknown, Provenance?.none)

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
        return follow(machine.note(isListenedTo: operation == .arrive, notice, state, provenance))
      case .lateNotice:
        return follow(machine.note(isListenedTo: notice % 2 == 0, max(notice, 1) - 1, state, provenance))
      case .request: return follow(machine.beginIfHeard(ifRunsAre: nil, state, provenance))
      case .requestOfFirst: return follow(machine.beginIfHeard(ifRunsAre: 0, state, provenance))
      case .endAfterDeparture: return follow(machine.end(after: departure, state, provenance))
      case .endManager: return follow(machine.endManager(state, provenance))
      case .supersede: return follow(machine.supersede())
      case .receive: return follow(machine.receive(7, of: run))
      case .fail: return follow(machine.fail(Refusal(), isLast: false, of: run, state, provenance))
      case .failForGood: return follow(machine.fail(Refusal(), isLast: true, of: run, state, provenance))
      case .retry: return follow(machine.retry(of: run, state, provenance))
      case .endTask: return follow(machine.endTask(of: task, state, provenance))
      }
    }

    private mutating func follow(_ step: StreamMachine<Int>.Step) -> String {
      var words: [String] = []
      if let published = step.owner.published {
        (state, provenance) = published
        words.append("\(state)")
      }
      if step.endsRun { words.append("ends the run") }
      if let run = step.started {
        task = run
        words.append("starts run \(run.number)")
      }
      if step.endsDeparture { words.append("ends the departure") }
      if let left = step.departure {
        departure = left
        words.append("departure")
      }
      return words.joined(separator: ", ")
    }
  }
#endif
