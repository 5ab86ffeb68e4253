import SubPub
import SubPubTesting
import Testing

// Rules 5.23 and 5.24: answers that are merged, and edits that are sent one at a time. `EditScheduleTests` and
// `LoadMachineModelTests` compare histories of them with a model.
extension Section5LoadTests {
  @Test("an answer is put into the server's data, under the edits that are pending, and a refused edit leaves nothing")
  func required_5_23_merged() throws {
    let edit = edits.merge(1) { [publisher = Weak(edits.publisher)] in
      // Under no lock.
      #expect(publisher.object?.state == .loaded(512))
    }
    let note = edits.note(2)
    edits.answer(0, 7)
    #expect(try edit.result?.get() == 7)
    #expect((edits.publisher.state, edits.origin) == (.loaded(572), .edited))
    edits.accept(0)
    try #require(note.result).get()
    #expect((edits.publisher.state, edits.origin) == (.loaded(572), .published))
    let refused = edits.merge(3)
    #expect(edits.publisher.state == .loaded(5723))
    edits.refuse(1)
    #expect(throws: Failure.denied) { try refused.result?.get() }
    #expect((edits.publisher.state, edits.origin) == (.loaded(572), .published))
  }

  private static func makeSerial(cache: ProbeCache? = nil) -> EditBench {
    EditBench(LoadBench(cache: cache, initial: 5) { $0.sends = .oneAtATime })
  }

  @Test("edits show at once, and each is sent when the one before has ended, however it has", arguments: [true, false])
  func required_5_24_order(firstIsRefused: Bool) throws {
    let bench = Self.makeSerial()
    let (first, note, last) = (bench.edit(1), bench.note(2), bench.merge(3))
    #expect(bench.publisher.state == .loaded(5123))
    #expect((bench.answering.calls, bench.accepting.calls) == (1, 0))
    if firstIsRefused { bench.refuse(0) } else { bench.answer(0, 7) }
    #expect((first.result == nil, note.result == nil) == (false, true))
    #expect((bench.answering.calls, bench.accepting.calls) == (1, 1))
    #expect(bench.publisher.state == .loaded(firstIsRefused ? 523 : 723))
    bench.accept(0)
    try #require(note.result).get()
    #expect((bench.answering.calls, bench.publisher.state) == (2, .loaded(firstIsRefused ? 523 : 723)))
    bench.answer(1, 4)
    #expect(try last.result?.get() == 4)
    // No two of them were on their way at once, so nothing is in doubt.
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(firstIsRefused ? 524 : 724), false))
  }

  @Test("the edit of a cancelled caller stays in its place, and is sent in its turn")
  func required_5_24_cancelledCaller() {
    let bench = Self.makeSerial()
    bench.edit(1)
    let (cancelled, last) = (bench.note(2), bench.edit(3))
    bench.loads.cancel(cancelled)
    #expect(throws: CancellationError.self) { try cancelled.result?.get() }
    #expect(bench.publisher.state == .loaded(5123))
    bench.refuse(0)
    #expect((bench.answering.calls, bench.accepting.calls, bench.publisher.state) == (1, 1, .loaded(523)))
    bench.accept(0)
    #expect((bench.answering.calls, last.result == nil, bench.publisher.state) == (2, true, .loaded(523)))
  }

  @Test(
    "a transition by hand drops what wasn't sent; the next edit waits for what was", arguments: Superseding.allCases)
  func required_5_24_5_20_dropped(by superseding: Superseding) throws {
    // A load is no transition by hand.
    guard superseding != .restartingRefresh else { return }
    let bench = Self.makeSerial()
    let (sent, waiting) = (bench.edit(1), bench.note(2))
    bench.loads.supersede(by: superseding)
    #expect(throws: EditDropped.self) { try waiting.result?.get() }
    bench.manager.set(6)
    let (next, cancelled) = (bench.edit(4), bench.note(8))
    bench.loads.cancel(cancelled)
    #expect((bench.publisher.state, bench.answering.calls, sent.result == nil) == (.loaded(648), 1, true))
    bench.answer(0, 7)
    #expect(try sent.result?.get() == 7)
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(648), true))
    #expect((bench.answering.calls, bench.accepting.calls) == (2, 0))
    bench.answer(1, 9)
    #expect(try next.result?.get() == 9)
    #expect((bench.publisher.state, bench.accepting.calls) == (.loaded(98), 1))
  }

  @Test("the end of the publisher drops what wasn't sent")
  func required_5_24_3_09_finished() {
    let bench = Self.makeSerial()
    let (sent, waiting) = (bench.edit(1), bench.note(2))
    bench.publisher.finish()
    bench.loads.run()
    #expect(throws: PublisherEnded.self) { try waiting.result?.get() }
    bench.answer(0, 7)
    #expect((try? sent.result?.get(), bench.accepting.calls) == (7, 0))
  }

  @Test("edits that are sent, or wait for that, end after their manager was released, if the publisher is still there")
  func required_5_20_5_24_releasedManager() throws {
    let (executor, server) = (ManualExecutor(), Source<Int>(isStubborn: true))
    let options = LoadingOptions<Int>(on: executor, clock: ManualClock()) { ($0.initial, $0.sends) = (5, .oneAtATime) }
    var manager: LoadingManager? = LoadingManager(options) { 0 }
    let publisher = try #require(manager).publisher
    let callers = (1...2).map { digit in
      Caller(on: executor) { [manager] in
        _ = try? await manager?.mutate(showing: { $0 * 10 + digit }, send: { try await server.load() })
      }
    }
    manager = nil
    executor.runAll()
    for caller in callers { caller.cancel() }
    executor.runAll()
    for (call, expected) in [(0, 72), (1, 7)] {
      #expect(server.calls == call + 1)
      server.answer(call, .success(7))
      executor.runAll()
      #expect(publisher.state == .loaded(expected))
    }
  }
}
