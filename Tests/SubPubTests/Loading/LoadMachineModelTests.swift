#if DEBUG
  import SubPub
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  /// The machine beside a model that has been written for its own sake, and knows nothing of how the machine works.
  @Suite("The machine of loads and edits shows what its model says, whatever happens")
  struct LoadMachineModelTests {
    @Test("at random")
    func model_5_04_5_05_5_20_machine() {
      let seeds = SeedRange()
      for seed in seeds.all {
        var pair = MachineAndModel(seed: seed)
        for _ in 0..<100 { pair.step() }
        if let problem = pair.problem {
          Issue.record("STRESS_SEED=\(seed) STRESS_SEEDS=1 repeats it: \(problem)")
          return
        }
      }
    }
  }

  private struct MachineAndModel {
    struct Refusal: Error {}

    private var random: SeededGenerator
    private var machine = LoadMachine<[Int]>(LoadMachine.Rules())
    private var model = EditModel()
    private var (state, provenance, validity) = (LoadState<[Int]>.unknown, Provenance?.none, DataValidity())
    private var version: UInt64 = 0
    private var edits: [(id: EditID, number: Int)] = []
    private var (count, waiters) = (0, Waiters())
    private var history: [String] = []
    private(set) var problem: String?

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private var present: LoadMachine<[Int]>.Present {
      LoadMachine.Present(state: state, provenance: provenance, validity: validity)
    }

    mutating func step() {
      guard problem == nil else { return }
      count += 1
      switch random.draw(12) {
      case 0, 1, 2:
        edits.append((EditID(), count))
        let edit = Edit<[Int]>(id: edits[edits.count - 1].id) { [count] in $0 + [count] }
        take(.show(count)) { $0.add(edit, $1, $2) }
      case 3, 4: end(.refused, nil)
      case 5: end(.accepted, .accepted)
      case 6: end(.answered([1_000 + count]), .answered([1_000 + count]))
      case 7:
        let joins = machine.load != nil
        let caller = waiters.add(missing: 1)
        let (step, _) = machine.ask(for: LoadRequest(kind: .whole, joins: random.draw(3) > 0), by: caller, present)
        if !joins || step.begun != nil { follow(step, .beginLoad) }
      case 8:
        guard let id = machine.load?.id else { return }
        take(.endLoad([2_000 + count])) { [count] in
          $0.succeed(with: [2_000 + count], at: nil, of: id, compares: false, $1, $2)
        }
      case 9:
        if let id = machine.load?.id {
          follow(machine.fail(Refusal(), at: nil, of: id, present), .endLoad(nil))
        } else {
          byHand(.error(Refusal(), previous: base), .fail)
        }
      case 10: follow(machine.rollBack(present), .cancelLoad)
      default:
        switch random.draw(3) {
        case 0: follow(machine.replace(with: .loaded([count]), nil, .clear), .set([count]))
        case 1: follow(machine.replace(with: .unknown, nil, .clear), .reset)
        default: byHand(.loading(previous: base), .startLoading)
        }
      }
    }

    /// The data that a transition by hand starts from.
    private var base: [Int]? { machine.serverData(present)?.value }

    private mutating func end(_ ending: EditModel.Effect.Ending, _ confirmation: SubPub.Confirmation<[Int]>?) {
      guard !edits.isEmpty else { return }
      let edit = edits.remove(at: random.draw(edits.count))
      take(.end(edit.number, ending)) { $0.end(edit.id, confirmation, at: nil, $1, $2) }
    }

    private mutating func byHand(_ new: LoadState<[Int]>, _ effect: EditModel.Effect) {
      var step = machine.supersede()
      step.owner.published = (new, nil)
      follow(step, effect)
    }

    /// Takes a step; sometimes another edit comes between its preparation and itself.
    private mutating func take(
      _ effect: EditModel.Effect,
      _ body: (inout LoadMachine<[Int]>, Prepared<[Int]>?, LoadMachine<[Int]>.Present) -> (
        LoadStep<[Int]>, StepAnswer<[Int]>
      )
    ) {
      var prepared: Prepared<[Int]>?
      while true {
        let (step, answer) = body(&machine, prepared, present)
        if case .superseded = answer, case .endLoad = effect { return }
        guard case .needs(let preparation) = answer else { return follow(step, effect) }
        let data = preparation.accepted?.apply(preparation.data) ?? preparation.data
        prepared = Prepared(
          revision: preparation.revision, data: data, shown: preparation.edits.reduce(data) { $1.apply($0) },
          isUnchanged: false)
        if random.draw(4) == 0, !edits.isEmpty { self.step() }
      }
    }

    private mutating func follow(_ step: LoadStep<[Int]>, _ effect: EditModel.Effect) {
      if let published = step.owner.published {
        (state, provenance) = published
        version += 1
      }
      if let new = step.owner.validity { validity = new }
      history.append("\(effect)")
      // A load may end without a result; this one was active.
      guard let next = model.results(of: effect).last else { return }
      model = next
      let content = EditModel.Content(
        phase: state.phase, data: state.value, isEdited: provenance?.origin == .edited)
      guard problem == nil, content != model.content || version != model.version else { return }
      problem = "version \(version), \(content) instead of \(model.version), \(model.content) after \(history)"
    }
  }
#endif
