import SubPub
import SubPubTesting
import Testing

// Rules 5.21 and 5.20: edits of a stream's data.
extension Section5LoadTests {
  /// A stream that has produced 5, and a server for its edits.
  private final class StreamEdits: Sendable {
    let stream: StreamBench
    let server = Source<Int>(isStubborn: true)
    let listener: Recorder<Int>

    init(_ options: (inout LoadingOptions<Int>) -> Void = { _ in }) {
      stream = StreamBench(options: options)
      listener = stream.listen()
      stream.send(5)
    }

    deinit {
      server.close()
      stream.run()
    }

    var publisher: Publisher<Int> { stream.publisher }

    func edit(_ digit: Int) -> Caller<Result<Int, any Error>> {
      call { manager, server in try await manager.mutate(showing: { $0 * 10 + digit }, send: server.load) }
    }

    func note(_ digit: Int) -> Caller<Result<Int, any Error>> {
      call { manager, server in
        try await manager.mutate(showing: { $0 * 10 + digit }, sendOnly: { _ = try await server.load() })
        return digit
      }
    }

    func merge(_ digit: Int) -> Caller<Result<Int, any Error>> {
      call { manager, server in
        try await manager.mutate(showing: { $0 * 10 + digit }, send: server.load) { $0 * 10 + $1 }
      }
    }

    private func call(
      _ body: @escaping @Sendable (StreamManager<Int>, Source<Int>) async throws -> Int
    ) -> Caller<Result<Int, any Error>> {
      let caller = Caller(on: stream.executor) { [manager = stream.manager, server] in
        guard let manager else { return Result<Int, any Error>.failure(Failure.offline) }
        do { return .success(try await body(manager, server)) } catch { return .failure(error) }
      }
      stream.run()
      return caller
    }

    @discardableResult func answer(_ call: Int, _ value: Int) -> LoadState<Int> {
      server.answer(call, .success(value))
      return stream.run()
    }

    @discardableResult func refuse(_ call: Int) -> LoadState<Int> {
      server.fail(call, Failure.denied)
      return stream.run()
    }
  }

  @Test("an element takes the place of the data below the edits, and neither ends the run nor drops an edit")
  func required_5_21_5_20_elements() throws {
    let bench = StreamEdits()
    let (first, second) = (bench.edit(1), bench.note(2))
    #expect((bench.publisher.state, bench.publisher.current.origin) == (.loaded(512), .edited))
    bench.stream.send(6)
    #expect((bench.publisher.state, bench.publisher.current.origin) == (.loaded(612), .edited))
    #expect(bench.refuse(0) == .loaded(62))
    #expect(throws: Failure.denied) { try first.result?.get() }
    #expect(bench.answer(1, 0) == .loaded(62))
    #expect((try second.result?.get(), bench.publisher.current.origin) == (2, .loaded))
    #expect((bench.stream.isRunning, bench.stream.calls) == (true, 1))
  }

  @Test("an answer is the data until the next element, and is stale if one has come meanwhile")
  func required_5_21_5_20_answers() throws {
    let bench = StreamEdits()
    let edit = bench.edit(1)
    #expect((bench.answer(0, 7), bench.publisher.isStale) == (.loaded(7), false))
    #expect(try edit.result?.get() == 7)
    _ = bench.edit(2)
    bench.stream.send(8)
    #expect((bench.answer(1, 9), bench.publisher.isStale) == (.loaded(9), true))
    #expect((bench.stream.send(6), bench.publisher.isStale) == (.loaded(6), false))
    let merge = bench.merge(3)
    #expect((bench.answer(2, 4), try merge.result?.get()) == (.loaded(64), 4))
  }

  @Test("what ends a run by hand drops the edits; what ends it otherwise doesn't", arguments: [true, false])
  func required_5_21_5_20_ends(byHand: Bool) {
    let bench = StreamEdits()
    let edit = bench.edit(1)
    if byHand { bench.publisher.updateData(50) } else { bench.stream.end() }
    #expect((bench.publisher.state, bench.stream.isRunning) == (.loaded(byHand ? 50 : 51), false))
    let count = bench.listener.states.count
    #expect(bench.refuse(0) == .loaded(byHand ? 50 : 5))
    #expect(bench.listener.states.count == count + (byHand ? 0 : 1))
    #expect(edit.result != nil)
  }

  @Test("edits of a stream are sent one at a time if they are to be, and a logout drops those that wait")
  func required_5_24_5_21_turns() {
    let bench = StreamEdits { $0.sends = .oneAtATime }
    let (first, second) = (bench.edit(1), bench.edit(2))
    #expect(bench.server.calls == 1)
    bench.answer(0, 7)
    #expect((bench.server.calls, bench.publisher.state, first.result != nil) == (2, .loaded(72), true))
    let third = bench.edit(3)
    bench.stream.manager?.logout()
    bench.refuse(1)
    #expect((bench.server.calls, bench.publisher.state) == (2, .unknown))
    #expect(throws: EditDropped.self) { try third.result?.get() }
    #expect(second.result != nil)
  }

  @Test("a stream's cache has confirmed edits, and no others")
  func required_5_21_5_10_cachedEdits() async {
    let cache = ProbeCache()
    let bench = StreamEdits { $0.cache = cache }
    _ = bench.note(1)
    bench.stream.send(6)
    #expect(cache.content == 6)
    bench.answer(0, 0)
    #expect((cache.content, bench.publisher.state) == (61, .loaded(61)))
    _ = bench.edit(2)
    bench.refuse(1)
    #expect(cache.content == 61)
  }
}
