#if DEBUG
  import SubPub
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  /// The machine beside a model that has been written for its own sake, and knows nothing of how the machine works.
  @Suite("The machine of loads and edits shows what its model says, whatever happens")
  struct LoadMachineModelTests {
    @Test("at random, where every legal transition occurs")
    func stochastic_5_01_5_02_5_04_5_05_5_20_5_23_5_24_machine() {
      let seeds = SeedRange()
      var transitions: [String: Int] = [:]
      for seed in seeds.all {
        var pair = MachineAndModel(seed: seed)
        for _ in 0..<100 { pair.step() }
        transitions.merge(pair.transitions, uniquingKeysWith: +)
        if let problem = pair.problem {
          Issue.record("STRESS_SEED=\(seed) STRESS_SEEDS=1 repeats it: \(problem)")
          return
        }
      }
      guard seeds.count >= 500 else { return }
      #expect(Set(transitions.keys) == Self.legal)
      let rare = transitions.filter { $0.value < 100 }
      #expect(rare.isEmpty)
    }

    /// From which phase what leads to which: of the machine's own, and of other transitions.
    private static let legal: Set<String> = {
      let everywhere = [
        "beginLoad loading", "fail error", "reset unknown", "set loaded", "startLoading loading", "end loaded",
      ]
      let fromAll = ["unknown", "loading", "loaded", "error"].flatMap { phase in
        (everywhere + ["show", "send", "drop", "cancelLoad", "end"].map { "\($0) \(phase)" }).map { "\(phase) \($0)" }
      }
      let fromLoading = [
        "cancelLoad unknown", "cancelLoad loaded", "cancelLoad error", "endLoad loaded", "endLoad error",
      ]
      return Set(fromAll + fromLoading.map { "loading \($0)" })
    }()
  }

  private struct MachineAndModel {
    struct Refusal: Error {}

    private var random: SeededGenerator
    private var driven: DrivenMachine<[Int]>
    private var model = EditModel()
    private var edits: [(id: EditID, number: Int)] = []
    private var count = 0
    private var history: [String] = []
    private(set) var problem: String?
    private(set) var transitions: [String: Int] = [:]

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      model.isSerial = random.draw(3) == 0
      driven = DrivenMachine(LoadMachine.Rules(sendsOneAtATime: model.isSerial))
    }

    mutating func step() {
      guard problem == nil else { return }
      count += 1
      switch random.draw(12) {
      case 0, 1, 2:
        let (id, number) = (EditID(), count)
        take(.show(number)) { $0.add(Edit(id: id) { $0 + [number] }, $1, $2) }
        edits.append((id, number))
      case 3: end(.refused, nil)
      case 4: end(.merged([3_000 + count]), .merged { [count] in $0 + [3_000 + count] })
      case 5: end(.accepted, .accepted)
      case 6: end(.answered([1_000 + count]), .answered(ServerData([1_000 + count], nil)))
      case 7:
        let joins = random.draw(3) > 0
        let began = driven.ask { $0.ask(for: LoadRequest(kind: .whole, joins: joins), by: $1, $2) }.answer == .began
        if began { compare(.beginLoad) }
      case 8:
        guard let id = driven.machine.load?.id else { return }
        take(.endLoad([2_000 + count])) { [count] in
          $0.succeed(with: [2_000 + count], at: nil, of: id, compares: false, $1, $2)
        }
      case 9:
        if let id = driven.machine.load?.id {
          follow(.endLoad(nil)) { $0.fail(Refusal(), at: nil, of: id, $1) }
        } else {
          byHand(.error(Refusal(), previous: base), .fail)
        }
      case 10: follow(.cancelLoad) { $0.rollBack($1) }
      default:
        switch random.draw(3) {
        case 0: follow(.set([count])) { [count] in $0.set(ServerData([count], nil), $1) }
        case 1: follow(.reset) { $0.logout($1) }
        default: byHand(.loading(previous: base), .startLoading)
        }
      }
    }

    /// The data that a transition by hand starts from.
    private var base: [Int]? { driven.machine.serverData(driven.present)?.value }

    private mutating func end(_ ending: EditModel.Effect.Ending, _ confirmation: SubPub.Confirmation<[Int]>?) {
      guard !edits.isEmpty else { return }
      var index = random.draw(edits.count)
      if model.isSerial {
        guard sends(&index) else { return }
      }
      let edit = edits.remove(at: index)
      take(.end(edit.number, ending)) { $0.endEdit(edit.id, confirmation, $1, $2) }
    }

    /// Asks for the sending of an edit, if edits are sent one at a time, and then takes the one that is being sent.
    private mutating func sends(_ index: inout Int) -> Bool {
      let edit = edits[index]
      if model.sending != edit.number {
        switch driven.beginSend(of: edit.id) {
        case .now: compare(.send(edit.number))
        case .later:
          if model.dropped.contains(edit.number) { problem = "\(edit.number) waits, but is dropped after \(history)" }
        case .never:
          edits.remove(at: index)
          compare(.drop(edit.number))
          return false
        }
      }
      guard let sending = edits.firstIndex(where: { $0.number == model.sending }) else { return false }
      index = sending
      return random.draw(3) > 0
    }

    private mutating func byHand(_ new: LoadState<[Int]>, _ effect: EditModel.Effect) {
      driven.publishByHand(new, nil, isNew: false)
      compare(effect)
    }

    /// Takes a step; sometimes something else comes between its preparation and itself.
    private mutating func take(
      _ effect: EditModel.Effect,
      _ body: (inout LoadMachine<[Int]>, Prepared<[Int]>?, ManagerPresent<[Int]>) -> Decision<[Int]>
    ) {
      var taking = driven
      let step = taking.take(
        meanwhile: { driven in
          guard random.draw(4) == 0, !edits.isEmpty else { return }
          self.driven = driven
          self.step()
          driven = self.driven
        }, body)
      driven = taking
      // The load may have been superseded.
      if case .endLoad = effect, step.end == nil { return }
      compare(effect)
    }

    private mutating func follow(
      _ effect: EditModel.Effect, _ body: (inout LoadMachine<[Int]>, ManagerPresent<[Int]>) -> ManagerStep<[Int]>
    ) {
      let present = driven.present
      let step = body(&driven.machine, present)
      driven.follow(step)
      compare(effect)
    }

    private mutating func compare(_ effect: EditModel.Effect) {
      history.append("\(effect)")
      // A load may end without a result; this one was active.
      guard let next = model.results(of: effect).last else {
        problem = "the model knows no \(effect) after \(history)"
        return
      }
      let name = "\(effect)".prefix { $0 != "(" }
      transitions["\(model.phase) \(name) \(next.phase)", default: 0] += 1
      model = next
      let (state, version) = (driven.shown.state, driven.version)
      let content = EditModel.Content(
        phase: state.phase, data: state.value, isEdited: driven.shown.origin == .edited)
      guard problem == nil, content != model.content || version != model.version else { return }
      problem = "version \(version), \(content) instead of \(model.version), \(model.content) after \(history)"
    }
  }
#endif
