import SubPub
import SubPubTesting
import Testing

// Rule 5.20: edits and their callers. `EditScheduleTests` compares histories of edits, answers, failures, and loads
// with a model.
extension Section5LoadTests {
  @Test("an edit is shown at once; a failure takes it back, an accepted edit stays, and an answer takes its place")
  func required_5_20_shown() throws {
    let refused = edits.edit(1)
    #expect((edits.origin, refused.result == nil) == (.edited, true))
    // Drops no edit.
    edits.publisher.republish()
    edits.refuse(0)
    #expect(throws: Failure.denied) { try refused.result?.get() }
    #expect((edits.states, edits.origin) == ([.loaded(5), .loaded(51), .loaded(51), .loaded(5)], .published))
    let note = edits.note(1)
    edits.accept(0)
    try #require(note.result).get()
    #expect((edits.states.suffix(2), edits.origin) == ([.loaded(51), .loaded(51)], .published))
    let edit = edits.edit(2)
    edits.answer(1, 7)
    #expect(try edit.result?.get() == 7)
    #expect((edits.states.suffix(2), edits.origin) == ([.loaded(512), .loaded(7)], .loaded))
  }

  @Test("a transition by hand drops all edits, and what was sent ends in silence", arguments: Superseding.allCases)
  func required_5_20_5_23_byHand(by superseding: Superseding) throws {
    let (edit, note, merge) = (edits.edit(1), edits.note(2), edits.merge(3) { Issue.record("merged") })
    edits.loads.supersede(by: superseding)
    guard superseding != .restartingRefresh else {
      // A load is no transition by hand.
      #expect(edits.publisher.state == .loading(previous: 5123))
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
    #expect(edits.publisher.state == expected)
    #expect(edits.origin != .edited)
    let count = edits.states.count
    edits.accept(0)
    edits.answer(0, 7)
    edits.answer(1, 8)
    #expect(edits.states.count == count)
    #expect(try (edit.result?.get(), merge.result?.get()) == (7, 8))
    try #require(note.result).get()
  }

  @Test("a value that an edit shows isn't loaded yet, so it is published")
  func required_5_20_ifChanged() {
    edits.edit(1)
    #expect(edits.publisher.updateData(ifChanged: 51))
    #expect(edits.refuse(0) == .loaded(51))
    edits.edit(2)
    // Equal to the server's data, so nothing changes.
    #expect(!edits.publisher.updateData(ifChanged: 51))
    #expect(edits.publisher.state == .loaded(512))
  }

  @Test("a cancelled caller returns at once, and its edit stays until the sending has ended", arguments: [true, false])
  func required_5_20_cancelledCaller(succeeds: Bool) {
    let edit = edits.edit(1)
    edits.loads.cancel(edit)
    #expect(throws: CancellationError.self) { try edit.result?.get() }
    #expect((edits.answering.cancelled.isEmpty, edits.publisher.state) == (true, .loaded(51)))
    if succeeds { edits.answer(0, 7) } else { edits.refuse(0) }
    #expect(edits.publisher.state == .loaded(succeeds ? 7 : 5))
  }

  @Test("a caller that is cancelled before its call sends nothing")
  func required_5_20_cancelledBefore() {
    let caller = Caller(on: edits.loads.executor) { [manager = edits.manager] in
      await #expect(throws: CancellationError.self) {
        try await manager.mutate(showing: { $0 * 10 }, sendOnly: { Issue.record("sent") })
      }
    }
    caller.cancel()
    edits.loads.run()
    #expect(caller.result != nil)
    #expect(edits.states == [.loaded(5)])
  }

  @Test("what only sends may have several statements, and may cancel the active load")
  func required_5_20_5_05_sendOnly() {
    edits.loads.refresh()
    let caller = edits.loads.call { [manager = edits.manager, accepting = edits.accepting] in
      try? await manager.mutate(
        showing: { $0 * 10 + 1 },
        sendOnly: {
          manager.cancel()
          try await accepting.load()
        })
    }
    #expect((edits.publisher.state, edits.origin) == (.loaded(51), .edited))
    #expect(edits.loads.source.cancelled == [0])
    edits.accept(0)
    #expect((edits.publisher.state, edits.origin) == (.loaded(51), .published))
    #expect(caller.result != nil)
  }

  @Test("the loader is given the server's value, without the pending edits")
  func required_5_20_5_03_previous() async {
    let given = Locked<[Int?]>([])
    let manager = LoadingManager(LoadingOptions(initial: 5)) { previous in
      given.withLock { $0.append(previous) }
      return 6
    }
    try? await manager.mutate(showing: { $0 * 10 + 1 }, sendOnly: { _ = await manager.refresh() })
    #expect(given.withLock { $0 } == [5])
    // The load had ended before the edit was confirmed.
    #expect(manager.publisher.state == .loaded(61))
  }

  /// A number whose death publishes, as that of anybody's data may.
  private final class Telling: Sendable {
    let number: Int
    let tell: @Sendable () -> Void
    init(_ number: Int, _ tell: @escaping @Sendable () -> Void) { (self.number, self.tell) = (number, tell) }
    deinit { tell() }
  }

  @Test("data between two edits may publish when it dies")
  func required_5_20_1_06_between() async {
    let manager = LoadingManager<Telling>(initial: Telling(5) {}) { throw Failure.offline }
    let (publisher, server) = (manager.publisher, Source<Void>(isStubborn: true))
    let tasks = (1...2).map { digit in
      Task { [weak publisher] in
        try await manager.mutate(
          showing: { old in Telling(old.number * 10 + digit) { publisher?.republish() } },
          sendOnly: { try await server.load() })
      }
    }
    while publisher.state.value.map({ $0.number < 500 }) ?? true { await Task.yield() }
    server.close()
    for task in tasks { _ = await task.result }
    #expect(publisher.state.value?.number == 5)
  }

  private enum Marker { @TaskLocal static var number = 0 }

  @Test("an edit is sent with the caller's task-local values")
  func required_5_20_taskLocals() async throws {
    let (manager, found) = (LoadingManager(initial: 5) { 0 }, Locked(0))
    try await Marker.$number.withValue(3) {
      try await manager.mutate(showing: { $0 }, sendOnly: { found.withLock { $0 = Marker.number } })
    }
    #expect(found.withLock { $0 } == 3)
  }
}
