#if DEBUG
  import SubPub
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  /// The machines beside a model that has been written for its own sake, and knows nothing of how they work.
  @Suite("The machines of loads, streams, and edits show what their model says, whatever happens")
  struct LoadMachineModelTests {
    @Test("loads at random, where every legal transition occurs")
    func stochastic_5_01_5_02_5_04_5_05_5_20_5_23_5_24_5_26_machine() {
      let phases = [
        "cancelLoad unknown", "cancelLoad loaded", "cancelLoad error", "endLoad loaded", "endLoad error",
      ]
      check(LoadMachine<[Int]>.self, ["fail error"], in: phases)
    }

    @Test("streams at random, where every legal transition occurs")
    func stochastic_5_01_5_02_5_20_5_21_5_26_machine() {
      let phases = [
        "cancelLoad unknown", "cancelLoad loaded", "cancelLoad error", "element loaded", "failAttempt error",
      ]
      let further = ["loaded", "error"].flatMap { phase in
        ["element loaded", "failAttempt error", "tryAgain loading"].map { "\(phase) \($0)" }
      }
      check(StreamMachine<[Int]>.self, [], in: phases, further)
    }

    /// `whileLoading` are transitions from `loading`.
    private func check<Machine: ModelledMachine>(
      _: Machine.Type, _ everywhere: [String], in whileLoading: [String], _ further: [String] = []
    ) {
      let seeds = SeedRange()
      var transitions: [String: Int] = [:]
      for seed in seeds.all {
        var pair = MachineAndModel<Machine>(seed: seed)
        for _ in 0..<250 { pair.step() }
        transitions.merge(pair.transitions, uniquingKeysWith: +)
        if let problem = pair.problem {
          Issue.record("STRESS_SEED=\(seed) STRESS_SEEDS=1 repeats it: \(problem)")
          return
        }
      }
      guard seeds.count >= 500 else { return }
      // From which phase what leads to which: of the machine's own, and of other transitions.
      let always = ["beginLoad loading", "reset unknown", "set loaded", "startLoading loading", "end loaded"]
      let fromAll = ["unknown", "loading", "loaded", "error"].flatMap { phase in
        let unchanged = ["show", "send", "drop", "cancelLoad", "end", "push"].map { "\($0) \(phase)" }
        return (always + everywhere + unchanged).map { "\(phase) \($0)" }
      }
      #expect(Set(transitions.keys) == Set(fromAll + further + whileLoading.map { "loading \($0)" }))
      let rare = transitions.filter { $0.value < 100 }
      #expect(rare.isEmpty)
    }
  }

  /// A machine that takes steps of its own beside those that all machines take.
  private protocol ModelledMachine: ManagerMachine where Value == [Int] {
    init(sendsOneAtATime: Bool)

    /// Takes a step that is drawn from six.
    static func step(_ drawn: Int, _ pair: inout MachineAndModel<Self>)
  }

  private struct Refusal: Error {}

  extension LoadMachine: ModelledMachine where Value == [Int] {
    fileprivate init(sendsOneAtATime: Bool) { self.init(Rules(sendsOneAtATime: sendsOneAtATime)) }

    fileprivate static func step(_ drawn: Int, _ pair: inout MachineAndModel<Self>) {
      let count = pair.count
      switch (drawn, pair.driven.machine.load?.id) {
      case (0, _):
        let joins = pair.random.draw(3) > 0
        let request = LoadRequest(kind: .whole, joins: joins)
        if pair.driven.ask({ $0.ask(for: request, by: $1, $2) }).answer == .began { pair.compare(.beginLoad) }
      case (1, let id?):
        pair.take(.endLoad([2_000 + count])) {
          $0.succeed(with: [2_000 + count], at: nil, of: id, compares: false, $1, $2)
        }
      case (2, let id?): pair.follow(.endLoad(nil)) { $0.fail(Refusal(), at: nil, of: id, $1) }
      case (2, nil): pair.byHand(.error(Refusal(), previous: pair.base), .fail)
      case (3, _): pair.follow(.cancelLoad) { $0.rollBack($1) }
      case (4, _): pair.follow(.set([count])) { $0.set(ServerData([count], nil), $1) }
      default: break
      }
    }
  }

  extension StreamMachine: ModelledMachine where Value == [Int] {
    fileprivate init(sendsOneAtATime: Bool) { self.init(endsAtOnce: true, sendsOneAtATime: sendsOneAtATime) }

    fileprivate static func step(_ drawn: Int, _ pair: inout MachineAndModel<Self>) {
      let (count, run) = (pair.count, pair.driven.machine.run)
      switch (drawn, run?.id) {
      case (0, nil):
        // Another first listener.
        let present = pair.present(isListenedTo: true)
        pair.driven.follow(pair.driven.machine.noteListeners(present) ?? Step())
        pair.compare(.beginLoad)
      case (0, _):
        pair.follow(.beginLoad) { $0.beginIfListenedTo(ifRunsAre: nil, restarting: true, $1) }
      case (1, let id?):
        pair.take(.element([2_000 + count])) { $0.receive([2_000 + count], at: nil, of: id, $1, $2) }
      case (2, let id?):
        let isLast = pair.random.draw(2) == 0
        pair.follow(.failAttempt(isLast: isLast)) { $0.fail(Refusal(), isLast: isLast, of: id, $1) }
      case (3, _):
        let present = pair.present(isListenedTo: false)
        pair.driven.follow(pair.driven.machine.noteListeners(present) ?? Step())
        pair.compare(.cancelLoad)
      case (4, let id?) where run?.before == nil: pair.follow(.tryAgain) { $0.showLoading(of: id, $1) }
      case (5, let id?) where pair.base == nil:
        let cached = Cached(value: [count], age: .zero)
        pair.take(.element([count])) { $0.find(cached, freshSince: nil, of: id, $1, $2) }
      default: break
      }
    }
  }

  private struct MachineAndModel<Machine: ModelledMachine> {
    typealias Step = ManagerStep<[Int]>

    var random: SeededGenerator
    var driven: DrivenMachine<[Int], Machine>
    private(set) var count = 0
    private(set) var problem: String?
    private(set) var transitions: [String: Int] = [:]
    private var model = EditModel()
    private var edits: [(id: EditID, number: Int)] = []
    private var history: [String] = []
    private var notice: UInt64 = 0

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      model.isSerial = random.draw(3) == 0
      driven = DrivenMachine(Machine(sendsOneAtATime: model.isSerial))
    }

    mutating func step() {
      guard problem == nil else { return }
      count += 1
      let drawn = random.draw(16)
      switch drawn {
      case 0, 1, 2:
        let (id, number) = (EditID(), count)
        take(.show(number)) { $0.add(Edit(id: id) { $0 + [number] }, $1, $2) }
        edits.append((id, number))
      case 3: end(.refused, nil)
      case 4: end(.merged([3_000 + count]), .merged { [count] in $0 + [3_000 + count] })
      case 5: end(.accepted, .accepted)
      case 6: end(.answered([1_000 + count]), .answered(ServerData([1_000 + count], nil)))
      case 7: take(.push([4_000 + count])) { [count] in $0.merge({ $0 + [4_000 + count] }, $1, $2) }
      case 8:
        switch random.draw(3) {
        case 0: byHand(.loaded([count]), .set([count]), isNew: true)
        case 1: follow(.reset) { $0.logout($1) }
        default: byHand(.loading(previous: base), .startLoading)
        }
      default: Machine.step(drawn % 6, &self)
      }
    }

    /// The data that a transition by hand starts from.
    var base: [Int]? { driven.machine.serverData(driven.present)?.value }

    /// With another notice about listeners.
    mutating func present(isListenedTo: Bool) -> ManagerPresent<[Int]> {
      notice += 1
      var present = driven.present
      present.notice = (isListenedTo, notice)
      return present
    }

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

    mutating func byHand(_ new: LoadState<[Int]>, _ effect: EditModel.Effect, isNew: Bool = false) {
      driven.publishByHand(new, nil, isNew: isNew)
      compare(effect)
    }

    /// Takes a step; sometimes something else comes between its preparation and itself.
    mutating func take(
      _ effect: EditModel.Effect,
      _ body: (inout Machine, Prepared<[Int]>?, ManagerPresent<[Int]>) -> Decision<[Int]>
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
      switch effect {
      case .endLoad where step.end == nil: break
      case .element where step.publisher.published == nil: break
      default: compare(effect)
      }
    }

    mutating func follow(
      _ effect: EditModel.Effect, _ body: (inout Machine, ManagerPresent<[Int]>) -> Step
    ) {
      let present = driven.present
      let step = body(&driven.machine, present)
      driven.follow(step)
      compare(effect)
    }

    mutating func compare(_ effect: EditModel.Effect) {
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
