import SubPub
import Support
import Testing

/// Good histories of a manager, written by hand, for a test to spoil.
enum ExampleLoads {
  /// Two loads that follow each other; call 1 fails, and is tried again as call 2.
  static func history(_ mix: LoadMix = [.refresh], _ spoil: (inout LoadHistory) -> Void = { _ in }) -> LoadHistory {
    var history = LoadHistory(mix: mix, attempts: 2)
    history.calls = [call(1, 10, .answered), call(3, 30, .failed), call(3, 40, .answered)]
    history.publications = [
      state(0, .unknown), state(1, .loading), state(2, .loaded, 0), state(3, .loading, 0), state(4, .loaded, 2),
    ]
    history.waits = [wait(.refresh, 5, at: 0, .loaded, 0), wait(.refresh, 25, at: 2, .loaded, 2)]
    history.finalVersion = 4
    spoil(&history)
    return history
  }

  /// Three pages; call 1 is for the second.
  static func pages(_ mix: LoadMix = [.nextPage], _ spoil: (inout LoadHistory) -> Void = { _ in }) -> LoadHistory {
    var history = history(mix)
    history.calls = [call(1, 10, .answered), call(3, 30, .answered, page: 1)]
    history.publications[4] = list(4, .loaded, [0, 1])
    history.publications[2] = list(2, .loaded, [0])
    history.publications[3] = list(3, .loading, [0])
    history.waits = [wait(.nextPage, 5, at: 0, .loaded, 0), wait(.nextPage, 25, at: 2, .loaded, 1)]
    spoil(&history)
    return history
  }

  static func state(_ version: UInt64, _ phase: LoadPhase, _ number: Int? = nil, failure: Int? = nil) -> LoadPublication
  {
    let items = number.map { [LoadedItem(number: $0, login: 0, page: 0, place: 0)] } ?? []
    return LoadPublication(version: version, phase: phase, items: items, failure: failure)
  }

  /// A list of pages, of which call n has returned page n.
  static func list(_ version: UInt64, _ phase: LoadPhase, _ calls: [Int]) -> LoadPublication {
    let items = calls.flatMap { number in
      (0..<FakeEndpoint.pageSize).map { LoadedItem(number: number, login: 0, page: number, place: $0) }
    }
    return LoadPublication(version: version, phase: phase, items: items)
  }

  static func call(_ version: UInt64, _ begin: UInt64, _ outcome: LoaderCall.Outcome, page: Int = 0) -> LoaderCall {
    LoaderCall(page: page, version: version, begin: begin, end: begin + 5, outcome: outcome)
  }

  static func wait(
    _ operation: LoadMix, _ begin: UInt64, at version: UInt64, _ phase: LoadPhase, _ item: Int?, failure: Int? = nil
  ) -> LoadWait {
    LoadWait(operation: operation, begin: begin, version: version, phase: phase, item: item, failure: failure)
  }

  /// The rules that the checker finds broken.
  static func rules(_ history: LoadHistory) -> Set<String> { Set(LoadChecker.check(history).map(\.rule)) }
}

@Suite("The checker of loads rejects every kind of bad history, and accepts a good one that looks similar")
struct LoadCheckerTests {
  @Test("good histories") func good() {
    for mix: LoadMix in [[.refresh], [.refresh, .cancel], [.refresh, .restart, .logout, .foreign, .copies]] {
      #expect(ExampleLoads.rules(ExampleLoads.history(mix)) == [])
    }
    #expect(ExampleLoads.rules(ExampleLoads.pages()) == [])
    #expect(ExampleLoads.rules(ExampleLoads.pages([.nextPage, .refresh, .restart, .cancel])) == [])
  }

  @Test("one bad history, and its twin", arguments: BadLoads.late + BadLoads.shared)
  func history(bad: BadLoads) {
    #expect(ExampleLoads.rules(bad.history(bad.spoil)).contains(bad.rule))
    #expect(ExampleLoads.rules(bad.history(bad.twin)) == [])
  }
}
