import SubPub
import Support
import Testing

/// As in `ScheduleTests`, a seed decides which thread is next, and what the clients do.
@Suite("Edits, loads, and transitions by hand are served one at a time", .timeLimit(.minutes(240)))
struct EditScheduleTests {
  private func run(_ seeds: SeedRange) async -> Report {
    await Campaign.run("edits", seeds, workers: 3) { EditSimulation($0) }
  }

  @Test("four clients with eight operations each")
  func stochastic_5_20_5_23_5_24_5_26_histories() async {
    var seeds = SeedRange()
    // Short histories, ten times as many as of other scenarios in release.
    #if DEBUG
      seeds.count *= 4
    #else
      seeds.count *= 10
    #endif
    await run(seeds).expectSuccess()
  }

  private func holds(_ effects: [EditModel.Effect], isSerial: Bool = false) -> Bool {
    let operations = effects.enumerated().map { step, effect in
      EditSimulation.Operation(invocation: 2 * step, response: 2 * step + 1, effect: effect)
    }
    return Linearizability.holds(operations, from: EditModel(isSerial: isSerial))
  }

  private func read(_ version: UInt64, _ phase: LoadPhase, _ data: [Int]?, isEdited: Bool = false) -> EditModel.Effect {
    .read(version: version, EditModel.Content(phase: phase, data: data, isEdited: isEdited))
  }

  @Test("the model accepts what the rule says, and nothing else")
  func model() {
    let edits: [EditModel.Effect] = [.set([0]), .show(1), .show(2)]
    #expect(holds(edits + [read(3, .loaded, [0, 1, 2], isEdited: true)]))
    #expect(!holds(edits + [read(3, .loaded, [0, 2, 1], isEdited: true)]))
    #expect(holds(edits + [.end(1, .refused), read(4, .loaded, [0, 2], isEdited: true)]))
    // A rollback that takes a neighbor's edit along.
    #expect(!holds(edits + [.end(2, .refused), read(4, .loaded, [0])]))
    #expect(holds(edits + [.end(2, .accepted), .end(1, .refused), read(5, .loaded, [0, 2])]))
    #expect(holds(edits + [.end(1, .answered([9])), read(4, .loaded, [9, 2], isEdited: true)]))
    #expect(holds(edits + [.end(1, .merged([7])), read(4, .loaded, [0, 7, 2], isEdited: true)]))
    // Merged above another edit, and beside its own.
    #expect(!holds(edits + [.end(1, .merged([7])), read(4, .loaded, [0, 2, 7], isEdited: true)]))
    #expect(!holds(edits + [.end(1, .merged([7])), read(4, .loaded, [0, 1, 7, 2], isEdited: true)]))
    #expect(holds(edits + [.push([7]), read(4, .loaded, [0, 7, 1, 2], isEdited: true)]))
    // Pushed above the edits, and lost by a refusal.
    #expect(!holds(edits + [.push([7]), read(4, .loaded, [0, 1, 2, 7], isEdited: true)]))
    #expect(!holds(edits + [.push([7]), .end(1, .refused), read(5, .loaded, [0, 2], isEdited: true)]))
    #expect(holds([.push([7]), read(0, .unknown, nil)]))
    #expect(holds(edits + [.beginLoad, .endLoad([8]), read(5, .loaded, [8, 1, 2], isEdited: true)]))
    // An edit that a late load resurrects, and a confirmed one that it loses.
    #expect(
      !holds(edits + [.beginLoad, .end(1, .refused), .endLoad([8]), read(6, .loaded, [8, 1, 2], isEdited: true)]))
    let confirmed: [EditModel.Effect] = [.set([0]), .beginLoad, .show(1), .end(1, .accepted), .endLoad([0])]
    #expect(!holds(confirmed + [read(5, .loaded, [0])]))
    #expect(holds(confirmed + [read(5, .loaded, [0, 1])]))
    #expect(holds(edits + [.startLoading, .end(1, .accepted), read(4, .loading, [0])]))
    #expect(!holds(edits + [.startLoading, read(4, .loading, [0, 1, 2], isEdited: true)]))
  }

  @Test("the model of edits that are sent one at a time accepts what the rule says, and nothing else")
  func serialModel() {
    func isLegal(_ effects: [EditModel.Effect]) -> Bool {
      holds([.set([0]), .show(1), .show(2), .send(1)] + effects, isSerial: true)
    }
    #expect(isLegal([.end(1, .refused), .send(2), .end(2, .accepted)]))
    #expect(!isLegal([.send(2)]))
    #expect(!isLegal([.end(2, .accepted)]))
    #expect(!isLegal([.end(1, .refused), .drop(2)]))
    // Only what wasn't sent is dropped, and never sent.
    #expect(isLegal([.reset, .drop(2), .show(3), .end(1, .accepted), .send(3)]))
    #expect(!isLegal([.reset, .drop(1)]))
    #expect(!isLegal([.reset, .end(1, .accepted), .send(2)]))
    #expect(!isLegal([.reset, .show(3), .send(3)]))
  }

  @Test("the same seed makes the same history of edits")
  func required_7_02_sameEdits() async {
    let seeds = SeedRange(first: 7, count: TestRounds.of(15, full: 50))
    let (first, second) = (await run(seeds), await run(seeds))
    #expect(first.digest == second.digest)
    #expect(first.distinct == seeds.count)
  }
}
