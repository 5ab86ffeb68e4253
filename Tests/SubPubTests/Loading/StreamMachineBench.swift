#if DEBUG
  import Testing

  @testable import SubPub

  /// A machine with the state that is shown, in one of the phases.
  struct StreamMachineBench {
    enum Phase: String, CaseIterable, CustomTestStringConvertible {
      case idle, begun, cached, running, failed, retrying, left, restarted, superseded, ended, loggedOut, finished
      var testDescription: String { rawValue }
    }

    enum Operation: String, CaseIterable {
      case arrive, depart, departAndArrive, sameNotice, request, requestOfFirst, restart, endAfterDeparture,
        endAfterArrival, endManager, supersede, endPublisher, logout
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
      case .departAndArrive:
        notice += 2
        return follow(machine.noteListeners(present()) ?? .init())
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
      case .find:
        return take { $0.find(Cached(value: 5, age: .seconds(1)), freshSince: nil, of: run, $1, $2) }
      case .receive: return take { $0.receive(7, at: nil, of: run, $1, $2) }
      case .receiveLate:
        let late = RunID(number: run.number, attempt: run.attempt - 1)
        return take { $0.receive(8, at: nil, of: late, $1, $2) }
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
      machine.endWaiters.formUnion([cancelled, waiter])
      machine.endWaiters.remove(cancelled)
    }

    private func present(_ isListenedTo: Bool = true) -> ManagerPresent<Int> {
      ManagerPresent(publication: shown, notice: (isListenedTo, notice))
    }

    /// Without edits, nothing has to be prepared.
    private mutating func take(
      _ body: (inout StreamMachine<Int>, Prepared<Int>?, ManagerPresent<Int>) -> Decision<Int>
    ) -> String {
      guard case .done(let step) = body(&machine, nil, present()) else { return "needs a preparation" }
      return follow(step)
    }

    private mutating func follow(_ step: ManagerStep<Int>) -> String {
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
      if let (run, _, readsCache) = step.begun {
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
