#if DEBUG
  import Testing

  @testable import SubPub

  /// A machine that takes commands, and says what they have led to.
  struct LoadMachineSequence {
    struct Refusal: Error {}

    private var driven: DrivenLoads<Int>
    private var callers: [WaiterID?] = []
    private var edits: [EditID] = []
    private var turns: [String] = []
    private var now = Duration.zero

    private let hasCache: Bool

    init(_ rules: LoadMachine<Int>.Rules, hasCache: Bool, cached: Int?) {
      (driven, self.hasCache) = (DrivenLoads(rules, cached: cached), hasCache)
    }

    var summary: String {
      var words = ["\(driven.shown.state)" + (driven.shown.origin.map { " \($0)" } ?? "")]
      if driven.shown.state.value != nil, driven.machine.isStale(driven.present, now) { words.append("stale") }
      if hasCache { words.append("cache \(driven.cached.map { "\($0)" } ?? "empty")") }
      words += turns
      if !turns.isEmpty, driven.released > 0 { words.append("released \(driven.released)") }
      if driven.machine.loadCount > 0 { words.append("load \(driven.machine.loadCount)") }
      return words.joined(separator: ", ")
    }

    mutating func perform(_ command: Substring) {
      let words = command.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int($0) }
      let (now, value, present) = (now, numbers.first ?? 0, driven.present)
      let id = driven.machine.load?.id ?? RunID(number: 0)
      switch words[0] {
      case "wait": self.now += .seconds(value)
      case "ask": ask { $0.ask(for: LoadRequest(kind: .whole), by: $1, $2) }
      case "restart": ask { $0.ask(for: LoadRequest(kind: .whole, joins: false), by: $1, $2) }
      case "need":
        follow { $0.askIfNeeded(accepting: .fresh, now: now, present).0 }
      case "value":
        ask { machine, caller, present in
          let (step, answer) = machine.askForValue(
            maxAge: .seconds(value), accepting: .youngerThan(.seconds(value)), now: now, by: caller, present)
          if case .load(let answer) = answer { return (step, answer) }
          return (step, .nothing)
        }
      case "leave": if let caller = callers[value] { follow { $0.leave(caller, present) } }
      case "cancel": follow { $0.rollBack(present) }
      case "set": follow { $0.set(ServerData(value, Provenance(.published, freshSince: now)), present) }
      case "logout": follow { $0.logout(present) }
      case "finish": driven.finish()
      case "publish": driven.publishByHand(.loaded(value), .published, isNew: true)
      case "reset": driven.publishByHand(.unknown, nil, isNew: true)
      case "loadingByHand": byHand { .loading(previous: $0) }
      case "failByHand": byHand { .error(Refusal(), previous: $0) }
      case "invalidate": follow { $0.invalidate(present) }
      case "found":
        let age = Duration.seconds(numbers.count > 1 ? numbers[1] : 0)
        driven.take { $0.find(Cached(value: value, age: age), freshSince: now - age, of: id, $1, $2) }
        let shown = driven.present
        follow { $0.showLoading(of: id, shown) }
      case "succeed", "equal":
        driven.take { $0.succeed(with: value, at: now, of: id, compares: words[0] == "equal", $1, $2) }
      case "late":
        driven.take { $0.succeed(with: numbers[1], at: now, of: RunID(number: value), compares: false, $1, $2) }
      case "fail": follow { $0.fail(Refusal(), at: now, of: id, present) }
      case "edit":
        edits.append(EditID())
        let edit = Edit<Int>(id: edits[edits.count - 1]) { $0 * 10 + value }
        driven.take { $0.add(edit, $1, $2) }
      case "push": driven.take { $0.merge({ $0 * 10 + value }, $1, $2) }
      case "send": turns.append("\(driven.beginSend(of: edits[value])) \(value)")
      case "refuse": end(value, nil)
      case "accept": end(value, .accepted)
      case "merge": end(value, .merged { $0 * 10 + numbers[1] })
      case "answer": end(value, .answered(ServerData(numbers[1], Provenance(.loaded, freshSince: now))))
      default: Issue.record("There is no command \(command)")
      }
    }

    private mutating func ask(
      _ body: (inout LoadMachine<Int>, WaiterID, ManagerPresent<Int>) -> (ManagerStep<Int>, LoadAnswer)
    ) {
      callers.append(driven.ask(body).caller)
    }

    private mutating func follow(_ body: (inout LoadMachine<Int>) -> ManagerStep<Int>) {
      driven.follow(body(&driven.machine))
    }

    private mutating func byHand(_ state: (Int?) -> LoadState<Int>) {
      let base = driven.machine.serverData(driven.present)
      driven.publishByHand(state(base?.value), base?.provenance?.origin, isNew: false)
    }

    private mutating func end(_ edit: Int, _ confirmation: SubPub.Confirmation<Int>?) {
      let id = edits[edit]
      driven.take { $0.endEdit(id, confirmation, $1, $2) }
    }
  }
#endif
