import SubPub
import SubPubTesting
import Testing

// Rule 5.20, with caches, and with answers of unknown age.
extension Section5LoadTests {
  @Test("a cached value doesn't count as fresh after an edit that was confirmed without data")
  func required_5_20_5_11_confirmedWithoutData() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: ProbeCache(5)))
    bench.note(1)
    bench.accept(0)
    let value = bench.loads.value()
    #expect(bench.loads.source.calls == 1)
    bench.loads.answer(0, 51)
    #expect(value.result == .loaded(51))
    #expect(!bench.publisher.isStale)
  }

  @Test("nor does one that is read while an edit is confirmed")
  func required_5_20_5_11_confirmedDuringRead() {
    let cache = ProbeCache(5)
    cache.hold(.read)
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: cache))
    let value = bench.loads.value()
    bench.note(1)
    bench.accept(0)
    cache.release(.read)
    bench.loads.run()
    #expect(bench.publisher.state == .loading(previous: nil))
    // What the load brings may lack the edit.
    bench.loads.answer(0, 51)
    #expect(value.result == .loaded(51))
    #expect(bench.publisher.isStale)
  }

  @Test("data is stale if a load has ended between an edit and its confirmation", arguments: [true, false])
  func required_5_20_loadBetween(answers: Bool) {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), initial: 5))
    if answers { bench.edit(1) } else { bench.note(1) }
    bench.loads.refresh()
    bench.loads.answer(0, 51)
    #expect(!bench.publisher.isStale)
    if answers { bench.answer(0, 51) } else { bench.accept(0) }
    // Whether the load had the edit already isn't known.
    #expect(bench.publisher.state == .loaded(answers ? 51 : 511))
    #expect(bench.publisher.isStale)
    bench.loads.refreshIfNeeded()
    bench.loads.answer(1, 51)
    #expect(bench.publisher.state == .loaded(51))
    #expect(!bench.publisher.isStale)
  }

  @Test("a load is outdated if an edit is confirmed during it that a transition by hand has dropped")
  func required_5_20_confirmedAfterDrop() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), initial: 5))
    bench.note(1)
    bench.publisher.startLoading()
    bench.loads.refresh()
    bench.accept(0)
    bench.loads.answer(0, 5)
    #expect(bench.publisher.state == .loaded(5))
    #expect(bench.publisher.isStale)
  }

  @Test("an answer ends a loading that was published by hand")
  func required_5_20_loadingByHand() {
    let bench = EditBench()
    bench.publisher.startLoading()
    bench.edit(1)
    #expect(bench.publisher.state == .loading(previous: 51))
    bench.answer(0, 7)
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test("an edit that is confirmed after its publisher's end clears the cache, which lacks it")
  func required_5_20_confirmedAfterEnd() {
    let (executor, server, cache) = (ManualExecutor(), Source<Int>(isStubborn: true), ProbeCache(5))
    do {
      let options = LoadingOptions<Int>(on: executor, clock: ManualClock()) { $0.cache = cache }
      let manager = LoadingManager(options, initial: 5) { 0 }
      let caller = Caller(on: executor) {
        _ = try? await manager.mutate(showing: { $0 * 10 + 1 }, send: { try await server.load() })
      }
      executor.runAll()
      caller.cancel()
      executor.runAll()
    }
    #expect(cache.content == 5)
    server.answer(0, .success(51))
    executor.runAll()
    #expect(cache.content == nil)
  }

  @Test("an answer that is fresh makes the cached value count again")
  func required_5_20_5_15_cacheAgain() {
    let cache = ProbeCache()
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: cache, initial: 5))
    bench.manager.invalidate()
    bench.edit(1)
    bench.answer(0, 7)
    bench.publisher.reset()
    bench.loads.refreshIfNeeded()
    #expect(bench.publisher.state == .loaded(7))
    #expect(bench.loads.source.calls == 0)
  }

  @Test("data has the age of its answer, after a load that is dropped and after one that found it unchanged")
  func required_5_20_5_06_ageOfAnswer() {
    let bench = EditBench(
      LoadBench(
        staleAfter: .seconds(600), initial: 5,
        options: { options in
          options.refreshes = .quiet
          options.isUnchanged = { $0 == $1 }
        }))
    bench.loads.pass(.seconds(30))
    bench.loads.refresh()
    bench.loads.answer(0, 5)
    bench.loads.pass(.seconds(20))
    bench.edit(1)
    bench.loads.refresh()
    bench.answer(0, 7)
    bench.loads.pass(.seconds(10))
    #expect(bench.publisher.age(of: bench.publisher.current) == .seconds(10))
    bench.loads.answer(1, 5)
    #expect(bench.publisher.state == .loaded(7))
    #expect(bench.publisher.age(of: bench.publisher.current) == .seconds(10))
  }

  @Test("the cache gets confirmed values only")
  func required_5_20_cache() async {
    let cache = ProbeCache()
    let bench = EditBench(LoadBench(cache: cache, initial: 5))
    bench.edit(1)
    bench.note(2)
    bench.loads.run()
    #expect(cache.operations.isEmpty)
    bench.refuse(0)
    #expect(cache.operations.isEmpty)
    bench.edit(3)
    bench.accept(0)
    #expect(cache.content == 52)
    bench.loads.refresh()
    bench.loads.answer(0, 6)
    #expect(bench.publisher.state == .loaded(63))
    #expect(cache.content == 6)
    bench.answer(1, 7)
    #expect(cache.content == 7)
  }

  @Test("an edit that was dropped by a logout writes nothing to the cache")
  func required_5_10_5_20_logout() {
    let cache = ProbeCache(4)
    let bench = EditBench(LoadBench(cache: cache, initial: 5))
    bench.edit(1)
    bench.note(2)
    bench.loads.logout()
    bench.answer(0, 7)
    bench.accept(0)
    #expect(cache.content == nil)
    #expect(bench.publisher.state == .unknown)
  }

  @Test("a cached value is shown with the pending edits, and not after an answer")
  func required_5_20_cachedValue() {
    let cache = ProbeCache(4)
    let bench = EditBench(LoadBench(cache: cache))
    bench.edit(1)
    bench.loads.refresh()
    #expect(bench.publisher.state == .loading(previous: 41))
    bench.manager.cancel()
    #expect(bench.publisher.state == .loaded(41))
    bench.refuse(0)
    #expect(bench.publisher.state == .loaded(4))

    let held = ProbeCache(4)
    held.hold(.read)
    let other = EditBench(LoadBench(cache: held))
    other.edit(1)
    other.loads.refresh()
    other.answer(0, 7)
    #expect(other.publisher.state == .loading(previous: 7))
    held.release(.read)
    other.loads.run()
    #expect(other.publisher.state == .loading(previous: 7))
    #expect(other.loads.source.calls == 1)
    other.loads.answer(0, 3)
    // The load had begun before the answer.
    #expect(other.publisher.state == .loaded(7))
    #expect(held.content == 7)
  }
}
