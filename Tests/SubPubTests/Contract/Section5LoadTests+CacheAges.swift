import SubPub
import SubPubTesting
import Testing

// Rule 5.06, beyond the life of a manager: a cache keeps the age of its data.
extension Section5LoadTests {
  @Test("a list of pages is as old for the next manager as its first page")
  func required_5_06_5_08_pagesOfNextManager() {
    let clock = ManualClock()
    let memory = MemoryCache(limit: 1, clock: clock)
    func makeBench() -> PageBench {
      PageBench(staleAfter: .seconds(60), options: { $0.cache = memory.cache(for: "list") })
    }
    func pass(_ time: Duration, _ bench: PageBench) {
      clock.advance(by: time)
      bench.pass(time)
    }
    let first = makeBench()
    first.load(pages: 1)
    pass(.seconds(40), first)
    first.load(pages: 1)
    pass(.seconds(10), first)
    let second = makeBench()
    second.refreshIfNeeded()
    #expect((second.publisher.state, second.cursors) == (.loaded(PageBench.pages(2)), []))
    #expect(second.publisher.age(of: second.publisher.current) == .seconds(50))
    // One more page over a list from the cache doesn't make it younger either.
    second.load(pages: 1)
    pass(.seconds(10), second)
    let third = makeBench()
    third.refreshIfNeeded()
    #expect((third.publisher.state, third.cursors) == (.loading(previous: PageBench.pages(3)), [0]))
  }

  @Test("the cache gets the age of the server's answer that the data stands on")
  func required_5_06_5_20_5_23_written() {
    let cache = ProbeCache()
    let bench = EditBench(
      LoadBench(staleAfter: .seconds(600), cache: cache, options: { $0.isUnchanged = { $0 == $1 } }))
    bench.loads.load(5)
    #expect((cache.content, cache.age) == (5, .zero))
    bench.loads.pass(.seconds(40))
    bench.note(1)
    bench.loads.pass(.seconds(10))
    bench.accept(0)
    #expect((cache.content, cache.age) == (51, .seconds(50)))
    bench.edit(2)
    bench.loads.pass(.seconds(10))
    bench.answer(0, 7)
    #expect((cache.content, cache.age) == (7, .zero))
    bench.loads.pass(.seconds(20))
    bench.loads.load(7)
    bench.loads.pass(.seconds(5))
    // Since the load that has found it unchanged.
    bench.note(3)
    bench.accept(1)
    #expect((cache.content, cache.age) == (73, .seconds(5)))
    bench.edit(4)
    bench.loads.pass(.seconds(10))
    bench.answer(1, 8)
    #expect((cache.content, cache.age) == (8, .zero))
    bench.merge(5)
    bench.loads.pass(.seconds(10))
    bench.answer(2, 9)
    #expect((cache.content, cache.age) == (89, .seconds(10)))
    bench.manager.set(9)
    bench.loads.run()
    #expect((cache.content, cache.age) == (9, .zero))
  }

  @Test("data that waits to be written grows older, and a write that takes the place of another has its own age")
  func required_5_06_5_10_pendingWrites() {
    let cache = ProbeCache()
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: cache, initial: 5))
    cache.hold(.write)
    bench.manager.set(1)
    bench.loads.run()
    bench.loads.pass(.seconds(5))
    bench.manager.set(2)
    bench.loads.pass(.seconds(20))
    bench.note(3)
    bench.accept(0)
    bench.loads.pass(.seconds(5))
    cache.release(.write)
    bench.loads.run()
    #expect((cache.operations, cache.content, cache.age) == ([.write, .write], 23, .seconds(25)))
  }

  @Test("what counts as stale isn't fresh for the next manager after an edit", arguments: [600.0, nil])
  func required_5_06_5_15_5_20_writtenAsStale(seconds: Double?) {
    let staleAfter = seconds.map { Duration.seconds($0) }
    let changes: [(EditBench) -> Void] = [
      { $0.manager.invalidate() },
      {
        // Between the edit below and its confirmation.
        $0.loads.refresh()
        $0.loads.answer(0, 6)
      },
    ]
    for change in changes {
      let cache = ProbeCache()
      let bench = EditBench(LoadBench(staleAfter: staleAfter, cache: cache, initial: 5))
      bench.note(1)
      change(bench)
      if bench.origin != .edited {
        bench.note(1)
        bench.accept(1)
      }
      bench.accept(0)
      expectOutdated(cache, staleAfter: staleAfter)
    }
  }

  @Test("an edit of data whose age isn't known makes it no younger for the next manager")
  func required_5_06_5_20_unknownAge() {
    let cache = ProbeCache()
    let bench = EditBench(LoadBench(cache: cache))
    // Without `staleAfter`, the publisher doesn't measure ages.
    bench.publisher.updateData(5, age: .seconds(7_200))
    bench.note(1)
    bench.accept(0)
    #expect(cache.content == 51)
    // Older than what counts as outdated, because a cache may round.
    #expect(cache.age > .seconds(150 * 365 * 86_400))
    let next = LoadBench(cache: cache)
    next.value(maxAge: .seconds(10_000))
    #expect(next.source.calls == 1)
  }

  @Test("the cache is cleared if the data with a confirmed edit can't be written", arguments: [true, false])
  func required_5_12_5_20_unwrittenEdit(accepts: Bool) {
    let cache = ProbeCache()
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: cache))
    bench.manager.set(5)
    bench.loads.run()
    cache.refuse(.write)
    bench.manager.set(6)
    bench.loads.run()
    #expect(cache.content == 5)
    if accepts { bench.note(1) } else { bench.edit(1) }
    if accepts { bench.accept(0) } else { bench.answer(0, 61) }
    #expect(cache.content == nil)
  }

  /// Expects that the next manager of the cache shows its value, and loads.
  private func expectOutdated(_ cache: ProbeCache, staleAfter: Duration?) {
    let next = LoadBench(staleAfter: staleAfter, cache: cache)
    next.refreshIfNeeded()
    #expect((next.publisher.state, next.publisher.isStale) == (.loading(previous: cache.content), true))
    #expect(next.source.calls == 1)
    let another = LoadBench(staleAfter: staleAfter, cache: cache)
    another.value(maxAge: .seconds(1_000_000))
    #expect(another.source.calls == 1)
  }

  @Test("a cache that can't keep ages is written to as before")
  func required_5_06_withoutAges() {
    let probe = ProbeCache()
    let bench = LoadBench(staleAfter: .seconds(600), cache: NamedCache(probe: probe))
    bench.manager.set(3)
    bench.run()
    #expect(probe.content == 3)
  }
}
