#if DEBUG
  import SubPub
  import Testing

  @testable import SubPub

  /// A machine with the state that is shown, in one of the phases.
  struct LoadMachineBench {
    enum Phase: String, CaseIterable, CustomTestStringConvertible {
      case nothing, data, error, loading, appearing, reloading, quietly, stale, edited, editedWhileReloading,
        editedWithoutData
      var testDescription: String { rawValue }
    }

    enum Operation: String, CaseIterable {
      case ask, askForPage, askAgain, askIfNeeded, leave, cancel, endManager, supersede, set, logout, invalidate
      case findFresh, findStale, succeed, succeedUnchanged, fail, edit, refuseEdit, acceptEdit, answerEdit, mergeEdit
    }

    struct Refusal: Error {}

    private var driven: DrivenLoads<Int>
    private var callers: [WaiterID] = []
    private var edits: [EditID] = []

    init(_ phase: Phase) {
      driven = DrivenLoads(LoadMachine.Rules(staleAfter: .seconds(10), isQuiet: phase == .quietly))
      switch phase {
      case .nothing: break
      case .data: perform(.set)
      case .error:
        perform(.set)
        perform(.ask)
        perform(.fail)
      case .loading: perform(.ask)
      case .appearing: perform(.askIfNeeded)
      case .reloading, .quietly:
        perform(.set)
        perform(.ask)
      case .stale:
        perform(.set)
        perform(.invalidate)
      case .edited:
        perform(.set)
        perform(.edit)
      case .editedWhileReloading:
        perform(.set)
        perform(.edit)
        perform(.ask)
      case .editedWithoutData:
        perform(.edit)
        perform(.ask)
      }
    }

    /// Performs an operation, and says what the machine has decided.
    @discardableResult
    mutating func perform(_ operation: Operation) -> String {
      let (id, present) = (driven.machine.load?.id ?? RunID(number: 0), driven.present)
      switch operation {
      case .ask: return ask { $0.ask(for: LoadRequest(kind: .whole), by: $1, $2) }
      case .askForPage: return ask { $0.ask(for: LoadRequest(kind: .page), by: $1, $2) }
      case .askAgain: return ask { $0.ask(for: LoadRequest(kind: .whole, joins: false), by: $1, $2) }
      case .askIfNeeded:
        return ask { machine, _, present in
          machine.askIfNeeded(accepting: .youngerThan(.seconds(5)), now: .seconds(1), present)
        }
      case .leave: return callers.last.map { caller in follow { $0.leave(caller, present) } } ?? ""
      case .cancel: return follow { $0.rollBack(present) }
      case .endManager: return follow { $0.endManager(present) }
      case .supersede: return follow { $0.supersede() }
      case .set:
        return follow { $0.set(ServerData(1, Provenance(.published, freshSince: .zero)), present) }
      case .logout: return follow { $0.logout(present) }
      case .invalidate: return follow { $0.invalidate(present) }
      case .findFresh, .findStale:
        let cached = Cached(value: 5, age: operation == .findFresh ? .seconds(1) : .seconds(20))
        return take { $0.find(cached, freshSince: .seconds(-1), of: id, $1, $2) }
      case .succeed: return take { $0.succeed(with: 2, at: .seconds(2), of: id, compares: false, $1, $2) }
      case .succeedUnchanged: return take { $0.succeed(with: 1, at: .seconds(2), of: id, compares: true, $1, $2) }
      case .fail: return follow { $0.fail(Refusal(), at: .seconds(2), of: id, present) }
      case .edit:
        edits.append(EditID())
        let edit = Edit<Int>(id: edits[edits.count - 1]) { $0 + 100 }
        return take { $0.add(edit, $1, $2) }
      case .refuseEdit: return endEdit(nil)
      case .acceptEdit: return endEdit(.accepted)
      case .mergeEdit: return endEdit(.merged { $0 + 7 })
      case .answerEdit: return endEdit(.answered(ServerData(7, Provenance(.loaded, freshSince: .seconds(3)))))
      }
    }

    private mutating func endEdit(_ confirmation: SubPub.Confirmation<Int>?) -> String {
      let id = edits.last ?? EditID()
      return take { $0.endEdit(id, confirmation, $1, $2) }
    }

    private mutating func ask(
      _ body: (inout LoadMachine<Int>, WaiterID, ManagerPresent<Int>) -> (ManagerStep<Int>, LoadAnswer)
    ) -> String {
      let before = driven
      let (caller, answer, step) = driven.ask(body)
      guard let caller else { return description(of: step, after: before) }
      callers.append(caller)
      return ["\(answer)", description(of: step, after: before)].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private mutating func take(
      _ body: (inout LoadMachine<Int>, Prepared<Int>?, ManagerPresent<Int>) -> Decision<Int>
    ) -> String {
      let before = driven
      return description(of: driven.take(body), after: before)
    }

    private mutating func follow(_ body: (inout LoadMachine<Int>) -> ManagerStep<Int>) -> String {
      let before = driven
      let step = body(&driven.machine)
      driven.follow(step)
      return description(of: step, after: before)
    }

    private func description(of step: ManagerStep<Int>, after before: DrivenLoads<Int>) -> String {
      var words: [String] = []
      if let published = step.publisher.published {
        words.append("\(published.state)" + (published.origin.map { " \($0)" } ?? ""))
      }
      if let new = step.publisher.validity {
        if new.isInvalidated != before.validity.isInvalidated {
          words.append(new.isInvalidated ? "is stale" : "is valid")
        }
        if let time = new.confirmation?.time { words.append("confirmed at \(time)") }
      }
      if let ending = step.end { words.append("\(ending)") }
      if !step.publisher.released.isEmpty { words.append("released \(step.publisher.released.count)") }
      if !step.publisher.answered.isEmpty { words.append("answered \(step.publisher.answered.count)") }
      if let begun = step.begun { words.append("begun \(begun.kind)" + (begun.readsCache ? " with the cache" : "")) }
      switch step.cacheChange {
      case .write(let data, let time, let hasNews):
        words.append("write \(data.value) of \(time.map { "\($0)" } ?? "no time")" + (hasNews ? " with an edit" : ""))
      case .clear: words.append("clear")
      case nil: break
      }
      return words.joined(separator: ", ")
    }
  }
#endif
