import SubPub
import SubPubTesting
import Testing

// Rules 5.10 to 5.12, and 5.16: which values count, and caches that fail or hang.
extension Section5LoadTests {
  @Test("a fresh cached value makes a load unnecessary until it is stale")
  func required_5_11_fresh() {
    let cache = ProbeCache(1, age: .seconds(50))
    let bench = LoadBench(staleAfter: .seconds(60), cache: cache)
    bench.refreshIfNeeded()
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(1)])
    #expect((bench.publisher.current.origin, bench.publisher.isStale) == (.cached, false))
    bench.pass(.seconds(9))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 0)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    bench.refreshIfNeeded()
    #expect((bench.source.calls, bench.publisher.current.origin) == (1, .cached))
    bench.answer(0, 7)
    #expect((bench.publisher.state, bench.publisher.current.origin) == (.loaded(7), .loaded))
    #expect(cache.operations == [.read, .write])
  }

  @Test("without staleAfter a cached value is always fresh, and with alwaysLoad it never is")
  func required_5_11_policies() {
    let fresh = LoadBench(cache: ProbeCache(1, age: .seconds(1_000_000)))
    fresh.refreshIfNeeded()
    #expect((fresh.publisher.state, fresh.source.calls) == (.loaded(1), 0))
    let loading = LoadBench(staleAfter: .seconds(60), cache: ProbeCache(1), options: { $0.cachePolicy = .alwaysLoad })
    loading.refreshIfNeeded()
    #expect((loading.publisher.state, loading.source.calls) == (.loading(previous: 1), 1))
    #expect(loading.publisher.current.origin == .cached)
  }

  @Test("a value that is asked for is taken from the cache if it is young enough", arguments: [40, 50, 60])
  func required_5_11_value(maxAge: Int) {
    let bench = LoadBench(staleAfter: .seconds(100), cache: ProbeCache(1, age: .seconds(50)))
    let caller = bench.value(maxAge: .seconds(maxAge))
    let isOld = maxAge <= 50
    #expect(bench.source.calls == (isOld ? 1 : 0))
    if isOld { bench.answer(0, 7) }
    #expect(caller.result == .loaded(isOld ? 7 : 1))
  }

  @Test("every publication names the origin of its data, which previous data keeps")
  func required_5_11_origins() {
    let publisher = bench.publisher
    #expect(publisher.current.origin == nil)
    bench.refresh()
    #expect(publisher.current.origin == nil)
    bench.answer(0, 1)
    let untyped: any AnyPublication = publisher.current
    #expect(untyped.origin == .loaded)
    publisher.startLoading()
    #expect(publisher.current.origin == .loaded)
    publisher.setError(Failure.offline)
    publisher.republish()
    #expect(publisher.current.origin == .loaded)
    publisher.updateData(2)
    #expect(publisher.current.origin == .published)
    bench.refresh()
    bench.fail(1)
    #expect(publisher.current.origin == .published)
    publisher.setState(.error(Failure.offline, previous: 3))
    #expect(publisher.current.origin == .published)
    publisher.setState(.loading(previous: nil))
    #expect(publisher.current.origin == nil)
    bench.manager.set(4)
    #expect(publisher.current.origin == .published)
    publisher.reset()
    #expect(publisher.current.origin == nil)
  }

  @Test("a paged manager shows its cached pages, and writes every page")
  func required_5_11_pages() {
    let cache = MemoryCache(limit: 1).cache(for: "pages", of: Paged<Int, Int>.self)
    let first = PageBench(staleAfter: .seconds(60), options: { $0.cache = cache })
    first.load(pages: 2)
    let second = PageBench(staleAfter: .seconds(60), options: { $0.cache = cache })
    second.refreshIfNeeded()
    #expect(second.publisher.state == first.publisher.state)
    #expect((second.cursors, second.publisher.current.origin) == ([], .cached))
    second.loadNextPage()
    #expect(second.cursors == [20])
  }

  @Test("a cache that can't be read is reported, and only what the load ends with is published")
  func required_5_12_unreadable() {
    let failing = FailingCacheBench(1)
    let bench = failing.bench
    failing.cache.refuse(.read)
    bench.refreshIfNeeded()
    #expect((failing.reports, failing.reasons) == ([.read], [ProbeCache.Refusal(operation: .read)]))
    #expect((failing.cache.operations, bench.source.calls) == ([.read], 1))
    bench.fail(0)
    #expect(
      bench.states == [.unknown, .loading(previous: nil), .error(Failure.offline, previous: nil)])
    // It is left as it is until a value is written.
    #expect(failing.cache.content == 1)
    bench.refreshIfNeeded()
    failing.cache.refuse()
    bench.answer(1, 7)
    #expect(failing.cache.content == 7)
  }

  @Test("what is set by hand is published, and written in the order of everything else")
  func required_5_16_set() {
    let cache = ProbeCache(1)
    let bench = LoadBench(staleAfter: .seconds(60), cache: cache)
    let caller = bench.refresh()
    bench.manager.set(5)
    bench.run()
    #expect((caller.result, bench.source.cancelled) == (.loaded(5), [0]))
    #expect((bench.publisher.state, bench.publisher.isStale, cache.content) == (.loaded(5), false, 5))
    cache.hold(.write)
    bench.manager.set(6)
    bench.run()
    bench.manager.logout()
    cache.release(.write)
    bench.run()
    #expect(cache.content == nil)
    bench.logout()
    bench.manager.set(7)
    bench.run()
    #expect((cache.content, cache.isOneAtATime) == (7, true))
  }

  /// A manager with a cache that fails, and the failures that were reported.
  struct FailingCacheBench {
    let cache: ProbeCache
    let bench: LoadBench
    private let failures: Locked<[CacheFailure]>

    var reports: [CacheFailure.Operation] { failures.withLock { $0.map(\.operation) } }
    var reasons: [ProbeCache.Refusal?] { failures.withLock { $0.map { $0.reason as? ProbeCache.Refusal } } }

    init(_ content: Int? = nil) {
      let (cache, failures) = (ProbeCache(content), Locked<[CacheFailure]>([]))
      (self.cache, self.failures) = (cache, failures)
      bench = LoadBench(cache: cache) { $0.cacheFailed = { failure in failures.withLock { $0.append(failure) } } }
    }
  }

  @Test("a failed write is reported, and changes neither the state nor the cache")
  func required_5_10_failingWrite() {
    let failing = FailingCacheBench(1)
    let bench = failing.bench
    failing.cache.refuse(.write)
    let caller = bench.load(7)
    #expect((caller.result, bench.publisher.state) == (.loaded(7), .loaded(7)))
    #expect((failing.reports, failing.cache.content) == ([.write], 1))
    // Only the next load writes again.
    failing.cache.refuse()
    bench.load(8)
    #expect((failing.cache.content, failing.cache.operations) == (8, [.read, .write, .write]))
  }

  @Test("after a failed clear nothing is read until a load has cleared the cache")
  func required_5_10_failingClear() {
    let failing = FailingCacheBench(1)
    let (bench, cache) = (failing.bench, failing.cache)
    cache.refuse(.clear)
    bench.logout()
    #expect((failing.reports, cache.content, bench.publisher.state) == ([.clear], 1, .unknown))
    // The next load can't clear it either, and reads nothing.
    bench.cancel(bench.refresh())
    #expect((cache.operations, failing.reports) == ([.clear, .clear], [.clear, .clear]))
    #expect(bench.publisher.state == .unknown)
    cache.refuse()
    bench.cancel(bench.refresh())
    #expect((cache.operations, cache.content) == ([.clear, .clear, .clear], nil))
    #expect(!bench.states.contains { $0.value == 1 })
    bench.refresh()
    #expect(cache.operations.last == .read)
  }

  @Test("after a failed clear nothing is read until a write has replaced the value")
  func required_5_10_writeAfterFailingClear() {
    let failing = FailingCacheBench(1)
    let (bench, cache) = (failing.bench, failing.cache)
    cache.refuse(.clear, .write)
    bench.manager.logout()
    bench.refresh()
    // The failed write leaves the old value there, which must not be read.
    bench.answer(0, 7)
    #expect(cache.content == 1)
    bench.publisher.reset()
    bench.cancel(bench.refresh())
    #expect(!cache.operations.contains(.read))
    cache.refuse(.clear)
    bench.load(8)
    #expect(cache.content == 8)
    bench.publisher.reset()
    bench.refresh()
    #expect((cache.operations.last, bench.publisher.state) == (.read, .loading(previous: 8)))
    #expect(!bench.states.contains { $0.value == 1 })
  }

  @Test("the timeout ends a load's wait for a read, and the cache isn't called again until it answers")
  func required_5_12_5_07_hangingRead() {
    let (cache, failures) = (ProbeCache(1), Locked<[CacheFailure]>([]))
    let bench = LoadBench(timeout: .seconds(10), cache: cache) { options in
      options.cacheFailed = { failure in failures.withLock { $0.append(failure) } }
    }
    cache.hold(.read)
    let caller = bench.refresh()
    bench.pass(.seconds(10))
    #expect(bench.states == [.unknown, .loading(previous: nil)])
    #expect(failures.withLock { $0 }.map(\.operation) == [.read])
    #expect(failures.withLock { $0 }.first?.reason as? LoadTimedOut == LoadTimedOut(timeout: .seconds(10)))
    bench.answer(0, 7)
    #expect((caller.result, cache.operations) == (.loaded(7), [.read]))
    cache.release(.read)
    bench.run()
    #expect((cache.operations, bench.publisher.state) == ([.read, .write], .loaded(7)))
    #expect(cache.content == 7)
  }
}
