import SubPub
import SubPubTesting
import Testing

// Rule 5.20, with loads, freshness, and caches.
extension Section5LoadTests {
  @Test("a load that ends while an edit is pending changes the server's value, and no edit")
  func required_5_20_loadMeanwhile() {
    let load = edits.loads.refresh()
    edits.edit(1)
    #expect(edits.publisher.state == .loading(previous: 51))
    #expect((edits.loads.answer(0, 6), edits.origin) == (.loaded(61), .edited))
    #expect(load.result == .loaded(61))
    #expect((edits.refuse(0), edits.origin) == (.loaded(6), .loaded))
  }

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

  @Test("a load that missed an edit is accepted if there is no data, and is stale")
  func required_5_20_lateLoadWithoutData() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(60)))
    bench.loads.refresh()
    bench.note(1)
    bench.accept(0)
    #expect((bench.loads.answer(0, 6), bench.publisher.isStale) == (.loaded(6), true))
  }

  @Test("nobody joins a load during which an edit was confirmed", arguments: [true, false])
  func required_5_20_notJoined(byRefresh: Bool) {
    let bench = EditBench(LoadBench(initial: 5, options: { $0.refreshes = .quiet }))
    bench.edit(1)
    bench.loads.refresh()
    bench.answer(0, 7)
    if byRefresh { bench.loads.refresh() } else { bench.loads.refreshIfNeeded() }
    #expect(bench.loads.source.calls == 2)
    #expect(bench.loads.answer(0, 5) == .loaded(7))
    bench.loads.answer(1, 8)
    #expect(bench.states == [.loaded(5), .loaded(51), .loaded(7), .loaded(8)])
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

  @Test("an answer is new data, and an accepted edit leaves the data as old as it was")
  func required_5_20_age() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(60), initial: 5))
    bench.loads.pass(.seconds(40))
    bench.note(1)
    #expect(bench.publisher.age(of: bench.publisher.current) == .seconds(40))
    bench.accept(0)
    #expect(bench.publisher.age(of: bench.publisher.current) == .seconds(40))
    bench.edit(2)
    bench.loads.pass(.seconds(20))
    #expect(bench.publisher.isStale)
    bench.answer(0, 7)
    #expect(bench.publisher.age(of: bench.publisher.current) == .zero)
    #expect(!bench.publisher.isStale)
  }

  @Test("data is stale after answers that overlap, or that were asked for before an invalidation")
  func required_5_20_overlap() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(60), initial: 5))
    bench.edit(1)
    bench.edit(2)
    bench.answer(1, 7)
    #expect(bench.publisher.isStale)
    #expect((bench.answer(0, 8), bench.publisher.isStale) == (.loaded(8), true))
    bench.edit(3)
    bench.answer(2, 9)
    #expect(!bench.publisher.isStale)
    bench.edit(4)
    bench.manager.invalidate()
    bench.answer(3, 10)
    #expect(bench.publisher.isStale)
    bench.edit(5)
    bench.note(6)
    bench.accept(0)
    bench.answer(4, 11)
    #expect(bench.publisher.isStale)
  }

  @Test("an invalidation outlasts an edit that is taken back or accepted")
  func required_5_20_invalidated() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(60), initial: 5))
    bench.manager.invalidate()
    bench.edit(1)
    bench.refuse(0)
    #expect(bench.publisher.isStale)
    bench.note(2)
    bench.accept(0)
    #expect(bench.publisher.isStale)
  }
}
