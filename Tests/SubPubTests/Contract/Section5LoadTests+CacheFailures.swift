import SubPub
import SubPubTesting
import Testing

// Rule 5.10 for caches that fail or hang.
extension Section5LoadTests {
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
      bench = LoadBench(cache: cache) { failure in failures.withLock { $0.append(failure) } }
    }
  }

  @Test("a failed write is reported, and changes neither the state nor the cache")
  func required_5_10_failingWrite() {
    let failing = FailingCacheBench(1)
    let bench = failing.bench
    failing.cache.refuse(.write)
    let caller = bench.refresh()
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(bench.publisher.state == .loaded(7))
    #expect(failing.reports == [.write])
    #expect(failing.cache.content == 1)
    // Only the next load writes again.
    failing.cache.refuse()
    bench.refresh()
    bench.answer(1, 8)
    #expect(failing.cache.content == 8)
    #expect(failing.cache.operations == [.read, .write, .write])
  }

  @Test("after a failed clear nothing is read until a load has cleared the cache")
  func required_5_10_failingClear() {
    let failing = FailingCacheBench(1)
    let (bench, cache) = (failing.bench, failing.cache)
    cache.refuse(.clear)
    bench.logout()
    #expect(failing.reports == [.clear])
    #expect(cache.content == 1)
    #expect(bench.publisher.state == .unknown)
    // The next load can't clear it either, and reads nothing.
    bench.cancel(bench.refresh())
    #expect(cache.operations == [.clear, .clear])
    #expect(failing.reports == [.clear, .clear])
    #expect(bench.publisher.state == .unknown)
    cache.refuse()
    bench.cancel(bench.refresh())
    #expect(cache.operations == [.clear, .clear, .clear])
    #expect(cache.content == nil)
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
    bench.refresh()
    bench.answer(2, 8)
    #expect(cache.content == 8)
    bench.publisher.reset()
    bench.refresh()
    #expect(cache.operations.last == .read)
    #expect(bench.publisher.state == .loading(previous: 8))
    #expect(!bench.states.contains { $0.value == 1 })
  }

  @Test("the timeout ends a load's wait for a read, and the cache isn't called again until it answers")
  func required_5_12_5_07_hangingRead() {
    let (cache, failures) = (ProbeCache(1), Locked<[CacheFailure]>([]))
    let bench = LoadBench(timeout: .seconds(10), cache: cache) { failure in failures.withLock { $0.append(failure) } }
    cache.hold(.read)
    let caller = bench.refresh()
    bench.pass(.seconds(10))
    #expect(bench.states.last == .loading(previous: nil))
    #expect(bench.states == [.unknown, .loading(previous: nil)])
    #expect(failures.withLock { $0 }.map(\.operation) == [.read])
    #expect(failures.withLock { $0 }.first?.reason as? LoadTimedOut == LoadTimedOut(timeout: .seconds(10)))
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(cache.operations == [.read])
    cache.release(.read)
    bench.run()
    #expect(cache.operations == [.read, .write])
    #expect(bench.publisher.state == .loaded(7))
    #expect(cache.content == 7)
  }

  @Test("of several pending values only the newest is written")
  func required_5_10_newestWrite() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    cache.hold(.write)
    for number in 0..<4 {
      bench.refresh()
      bench.answer(number, number)
    }
    cache.release(.write)
    bench.run()
    #expect(cache.operations == [.read, .write, .write])
    #expect(cache.content == 3)
    // The empty cache showed nothing.
    #expect(bench.states.prefix(3) == [.unknown, .loading(previous: nil), .loaded(0)])
  }
}
