import SubPub
import SubPubTesting
import Testing

// Rule 5.20, without loads.
extension Section5LoadTests {
  @Test("an edit is shown at once, and its answer is the server's value")
  func required_5_20_answered() throws {
    let bench = EditBench()
    let edit = bench.edit(1)
    #expect(bench.publisher.state == .loaded(51))
    #expect(bench.origin == .edited)
    #expect(edit.result == nil)
    bench.answer(0, 7)
    #expect(try edit.result?.get() == 7)
    #expect(bench.states == [.loaded(5), .loaded(51), .loaded(7)])
    #expect(bench.origin == .loaded)
  }

  @Test("an accepted edit is part of the server's value")
  func required_5_20_accepted() throws {
    let bench = EditBench()
    let edit = bench.note(1)
    bench.accept(0)
    try #require(edit.result).get()
    #expect(bench.states == [.loaded(5), .loaded(51), .loaded(51)])
    #expect(bench.origin == .published)
    bench.note(2)
    bench.refuseNote(1)
    #expect(bench.publisher.state == .loaded(51))
  }

  @Test("a failure takes the edit back, and the caller gets the error")
  func required_5_20_refused() {
    let bench = EditBench()
    let edit = bench.edit(1)
    bench.refuse(0)
    #expect(throws: Failure.denied) { try edit.result?.get() }
    #expect(bench.states == [.loaded(5), .loaded(51), .loaded(5)])
    #expect(bench.origin == .published)
  }

  @Test(
    "edits are folded in the order of their calls, whichever ends first",
    arguments: [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
  func required_5_20_order(refusals: [Int]) {
    let bench = EditBench()
    for digit in 1...3 { bench.edit(digit) }
    #expect(bench.publisher.state == .loaded(5123))
    var left = [1, 2, 3]
    for call in refusals {
      bench.refuse(call)
      left.removeAll { $0 == call + 1 }
      #expect(bench.publisher.state == .loaded(left.reduce(5) { $0 * 10 + $1 }))
      #expect(bench.origin == (left.isEmpty ? .published : .edited))
    }
    #expect(bench.states.count == 7)
  }

  @Test("a success replaces the server's value, and the other edits stay folded over it")
  func required_5_20_othersStay() {
    let bench = EditBench()
    for digit in 1...3 { bench.edit(digit) }
    bench.answer(1, 7)
    #expect(bench.publisher.state == .loaded(713))
    bench.refuse(0)
    #expect(bench.publisher.state == .loaded(73))
    bench.answer(2, 8)
    #expect(bench.publisher.state == .loaded(8))
  }

  @Test("an accepted edit is applied to the server's value, below the others")
  func required_5_20_acceptedBelowOthers() {
    let bench = EditBench()
    for digit in 1...3 { bench.note(digit) }
    bench.accept(1)
    #expect(bench.publisher.state == .loaded(5213))
    bench.refuseNote(0)
    #expect(bench.publisher.state == .loaded(523))
    bench.refuseNote(2)
    #expect(bench.publisher.state == .loaded(52))
    #expect(bench.origin == .published)
  }

  @Test("without data an edit isn't shown, and is sent")
  func required_5_20_withoutData() throws {
    let bench = EditBench(LoadBench())
    let edits = (bench.edit(1), bench.note(2), bench.edit(3))
    #expect(bench.answering.calls == 2)
    #expect(bench.accepting.calls == 1)
    bench.accept(0)
    bench.refuse(0)
    #expect(bench.states == [.unknown])
    bench.answer(1, 7)
    #expect(bench.states == [.unknown, .loaded(7)])
    #expect(throws: Failure.denied) { try edits.0.result?.get() }
    #expect(try edits.2.result?.get() == 7)
    try #require(edits.1.result).get()
  }

  @Test("an edit that was made without data is shown as soon as there is some")
  func required_5_20_shownLater() {
    let bench = EditBench(LoadBench())
    bench.edit(1)
    bench.loads.refresh()
    bench.loads.answer(0, 6)
    #expect(bench.publisher.state == .loaded(61))
    #expect(bench.origin == .edited)
    bench.refuse(0)
    #expect(bench.publisher.state == .loaded(6))
    #expect(bench.origin == .loaded)
  }

  @Test("an error keeps its phase while an edit is pending, and an answer ends it")
  func required_5_20_error() {
    let bench = EditBench()
    bench.loads.refresh()
    bench.loads.fail(0)
    bench.edit(1)
    bench.note(2)
    #expect(bench.publisher.state == .error(Failure.offline, previous: 512))
    bench.accept(0)
    #expect(bench.publisher.state == .error(Failure.offline, previous: 521))
    bench.answer(0, 7)
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test("a transition by hand drops all edits, and what was sent ends in silence", arguments: Superseding.allCases)
  func required_5_20_byHand(by superseding: Superseding) throws {
    let bench = EditBench()
    let (edit, note) = (bench.edit(1), bench.note(2))
    bench.loads.supersede(by: superseding)
    guard superseding != .restartingRefresh else {
      // A load is no transition by hand.
      #expect(bench.publisher.state == .loading(previous: 512))
      return
    }
    let expected: LoadState<Int> =
      switch superseding {
      case .updateData, .updateDataIfChanged, .setState: .loaded(50)
      case .setError: .error(Failure.denied, previous: 5)
      case .startLoading: .loading(previous: 5)
      case .reset, .logout: .unknown
      case .update, .restartingRefresh: .loaded(5)
      }
    #expect(bench.publisher.state == expected)
    #expect(bench.origin != .edited)
    let count = bench.states.count
    bench.accept(0)
    bench.answer(0, 7)
    #expect(bench.states.count == count)
    #expect(try edit.result?.get() == 7)
    try #require(note.result).get()
  }

  @Test("a value that an edit shows isn't loaded yet, so it is published")
  func required_5_20_ifChanged() {
    let bench = EditBench()
    bench.edit(1)
    #expect(bench.publisher.updateData(ifChanged: 51))
    bench.refuse(0)
    #expect(bench.publisher.state == .loaded(51))
    bench.edit(2)
    // Equal to the server's data, so nothing changes.
    #expect(!bench.publisher.updateData(ifChanged: 51))
    #expect(bench.publisher.state == .loaded(512))
  }

  @Test("a value that is set drops all edits")
  func required_5_20_set() {
    let bench = EditBench()
    bench.edit(1)
    bench.manager.set(8)
    bench.refuse(0)
    #expect(bench.states == [.loaded(5), .loaded(51), .loaded(8)])
  }

  @Test("republishing drops no edit")
  func required_5_20_republish() {
    let bench = EditBench()
    bench.edit(1)
    bench.publisher.republish()
    #expect(bench.states.suffix(2) == [.loaded(51), .loaded(51)])
    bench.refuse(0)
    #expect(bench.publisher.state == .loaded(5))
  }
}
