import SubPub
import SubPubTesting
import Testing

// Rule 5.20, with loads, freshness, and caches.
extension Section5LoadTests {
  @Test("the value of a load that was active when an edit was confirmed is dropped", arguments: [true, false])
  func required_5_20_lateLoad(answers: Bool) {
    let bench = EditBench(LoadBench(staleAfter: .seconds(60), initial: 5))
    if answers { bench.edit(1) } else { bench.note(1) }
    let load = bench.loads.refresh()
    if answers { bench.answer(0, 7) } else { bench.accept(0) }
    let confirmed = answers ? 7 : 51
    #expect(bench.publisher.state == .loading(previous: confirmed))
    #expect((bench.loads.answer(0, 5), load.result) == (.loaded(confirmed), .loaded(confirmed)))
    // What it has missed may not be all.
    #expect(bench.publisher.isStale)
    bench.loads.refreshIfNeeded()
    #expect(bench.loads.source.calls == 2)
    #expect((bench.loads.answer(1, 8), bench.publisher.isStale) == (.loaded(8), false))
  }

  @Test("a load is compared with the server's value, and its loader is given it")
  func required_5_20_unchanged() async {
    let bench = EditBench(LoadBench(staleAfter: .seconds(60), initial: 5, options: Self.onlyChanges))
    bench.loads.pass(.seconds(60))
    bench.edit(1)
    bench.loads.load(5)
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(51), false))
    #expect(bench.states == [.loaded(5), .loaded(51)])
    #expect((bench.refuse(0), bench.publisher.isStale) == (.loaded(5), false))

    let given = Locked<[Int?]>([])
    let manager = LoadingManager<Int>(initial: 5) { previous in
      given.withLock { $0.append(previous) }
      return 6
    }
    try? await manager.mutate(showing: { $0 * 10 + 1 }, sendOnly: { _ = await manager.refresh() })
    #expect(given.withLock { $0 } == [5])
    // The load had ended before the edit was confirmed.
    #expect(manager.publisher.state == .loaded(61))
  }
}
