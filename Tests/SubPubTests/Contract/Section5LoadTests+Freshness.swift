import SubPub
import SubPubTesting
import Testing

// Rules 5.15 and 5.18.
extension Section5LoadTests {
  @Test("invalidated data is stale, and nothing is published until it is loaded again")
  func required_5_15_invalidated() {
    bench.load(1)
    let version = bench.publisher.current.version
    bench.manager.invalidate()
    #expect((bench.publisher.isStale, bench.publisher.current.version) == (true, version))
    bench.publisher.republish()
    #expect(bench.publisher.isStale)
    let caller = bench.value()
    #expect(bench.source.calls == 2)
    bench.answer(1, 2)
    #expect((caller.result, bench.publisher.isStale) == (.loaded(2), false))
    bench.manager.invalidate()
    bench.publisher.updateData(3)
    #expect(!bench.publisher.isStale)
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 2)
  }

  @Test("stale data is stale while it is loaded again, and after that has failed, in derived publishers, too")
  func required_5_06_5_15_5_22_downSource() {
    for invalidates in [true, false] {
      let bench = LoadBench(staleAfter: .seconds(60), initial: 1)
      let mapped = bench.publisher.map { $0 }
      let other = Publisher<Int>()
      let all = [
        { bench.publisher.isStale }, { bench.publisher.readOnly.isStale }, { mapped.isStale },
        { combining(mapped, bench.publisher.readOnly).isStale },
      ]
      bench.refresh()
      #expect(all.map { $0() } == [false, false, false, false])
      if invalidates { bench.manager.invalidate() } else { bench.pass(.seconds(60)) }
      #expect(all.map { $0() } == [true, true, true, true])
      #expect(bench.fail(0) == .error(Failure.offline, previous: 1))
      #expect(all.map { $0() } == [true, true, true, true])
      // Without data there is nothing to be stale.
      #expect(!combining(mapped, other.readOnly).isStale)
      bench.load(2)
      #expect(all.map { $0() } == [false, false, false, false])
    }
  }

  @Test("one more page doesn't make an invalidated list fresh")
  func required_5_15_5_08_laterPage() {
    let bench = PageBench(staleAfter: .seconds(60))
    bench.load(pages: 1)
    bench.manager.invalidate()
    bench.load(pages: 1)
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(PageBench.pages(2)), true))
    bench.refreshIfNeeded()
    #expect(bench.cursors == [0, 10, 0])
    bench.answer(2)
    #expect(!bench.publisher.isStale)
  }

  @Test("a quiet refresh publishes its result only, and a visible first load")
  func required_5_18_quiet() {
    let bench = LoadBench(staleAfter: .seconds(60), options: { $0.refreshes = .quiet })
    bench.load(1)
    bench.pass(.seconds(60))
    bench.refreshIfNeeded()
    bench.refreshIfNeeded()
    #expect((bench.source.calls, bench.publisher.state) == (2, .loaded(1)))
    bench.answer(1, 2)
    bench.refresh()
    bench.fail(2)
    let error = LoadState.error(Failure.offline, previous: 2)
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(1), .loaded(2), error])
    let version = bench.publisher.current.version
    bench.cancel(bench.refresh())
    #expect((bench.source.cancelled, bench.publisher.current.version) == ([3], version))
    // A transition by hand supersedes it as any other load.
    let caller = bench.refresh()
    bench.publisher.updateData(9)
    bench.run()
    #expect((caller.result, bench.source.cancelled) == (.loaded(9), [3, 4]))
  }

  @Test("a quiet refresh is shared even if it begins while somebody else decides to load")
  func required_5_18_5_03_shared() {
    let clock = CountingClock()
    let bench = LoadBench(staleAfter: .zero, clock: clock, initial: 1, options: { $0.refreshes = .quiet })
    let isFirst = Locked<Bool?>(true)
    // Between the turn that finds stale data and the turn that begins to load it.
    clock.whenRead { [bench = Weak(bench)] in
      if isFirst.withLock({ $0.take() }) == true { bench.object?.refreshIfNeeded() }
    }
    bench.refreshIfNeeded()
    #expect((isFirst.withLock { $0 }, bench.source.calls) == (nil, 1))
    bench.answer(0, 2)
    #expect(bench.states == [.loaded(1), .loaded(2)])
  }

  @Test(
    "an unchanged result publishes nothing, and makes the data new", arguments: [RefreshVisibility.quiet, .visible])
  func required_5_18_unchanged(refreshes: RefreshVisibility) {
    let cache = ProbeCache()
    let bench = LoadBench(
      staleAfter: .seconds(60), cache: cache,
      options: { options in
        options.refreshes = refreshes
        options.isUnchanged = { $0 / 10 == $1 / 10 }
      })
    bench.load(11)
    bench.pass(.seconds(60))
    #expect(bench.publisher.isStale)
    let before = bench.publisher.current.version
    let caller = bench.load(12)
    #expect((caller.result, bench.publisher.state) == (.loaded(11), .loaded(11)))
    #expect(bench.publisher.current.version == before + (refreshes == .quiet ? 0 : 2))
    #expect(!bench.publisher.isStale)
    #expect(bench.publisher.age(of: bench.publisher.current) == .zero)
    #expect(cache.operations == [.read, .write, .write])
    bench.pass(.seconds(59))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 2)
    bench.pass(.seconds(1))
    bench.refreshIfNeeded()
    #expect(bench.answer(2, 20) == .loaded(20))
  }
}
