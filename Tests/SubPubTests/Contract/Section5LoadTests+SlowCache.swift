import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  /// A manager with a cache, and what was said of it.
  struct Refusing {
    let cache: ProbeCache
    let bench: LoadBench
    private let told: Locked<[CacheFailure]>

    var reports: [CacheFailure.Operation] { told.withLock { $0.map(\.operation) } }
    var reasons: [ProbeCache.Refusal?] { told.withLock { $0.map { $0.reason as? ProbeCache.Refusal } } }

    init(_ content: Int? = nil) {
      let (cache, told) = (ProbeCache(content), Locked<[CacheFailure]>([]))
      (self.cache, self.told) = (cache, told)
      bench = LoadBench(cache: cache) { failure in told.withLock { $0.append(failure) } }
    }
  }

  @Test("5.10: what can't be read shows as an error with the reason, is reported, and the load goes on")
  func required_5_10_failingRead() {
    let refusing = Refusing(1)
    let bench = refusing.bench
    defer { bench.finish() }
    refusing.cache.refuse(.read)
    let caller = bench.refresh()
    #expect(bench.states.map(\.phase) == [.unknown, .loading, .error, .loading])
    let failure = bench.states[2].error as? CacheFailure
    #expect(failure?.operation == .read)
    #expect(failure?.reason as? ProbeCache.Refusal == ProbeCache.Refusal(operation: .read))
    #expect(failure?.description == "the cache could not read: Refusal(operation: SubPub.CacheFailure.Operation.read)")
    #expect(refusing.reports == [.read])
    #expect(refusing.reasons == [ProbeCache.Refusal(operation: .read)])
    #expect(bench.source.calls == 1)
    #expect(caller.result == nil)
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(refusing.cache.content == 7)
  }

  @Test("5.10: a write that fails is reported, the state stays loaded, and the cache keeps what it had")
  func required_5_10_failingWrite() {
    let refusing = Refusing(1)
    let bench = refusing.bench
    defer { bench.finish() }
    refusing.cache.refuse(.write)
    let caller = bench.refresh()
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(bench.publisher.state == .loaded(7))
    #expect(refusing.reports == [.write])
    #expect(refusing.cache.content == 1)
    // It isn't tried again by itself; the next load writes.
    refusing.cache.refuse()
    bench.refresh()
    bench.answer(1, 8)
    #expect(refusing.cache.content == 8)
    #expect(refusing.cache.operations == [.read, .write, .write])
  }

  @Test(
    "5.10: after a clear that failed nothing is read before one has succeeded, and that is made up for by the next load"
  )
  func required_5_10_failingClear() {
    let refusing = Refusing(1)
    let (bench, cache) = (refusing.bench, refusing.cache)
    defer { bench.finish() }
    cache.refuse(.clear)
    bench.manager.logout()
    bench.run()
    #expect(refusing.reports == [.clear])
    #expect(cache.content == 1)
    #expect(bench.publisher.state == .unknown)
    // The next load finds that it still can't be cleared: that shows, and what is there doesn't.
    bench.cancel(bench.refresh())
    #expect(cache.operations == [.clear, .clear])
    #expect(refusing.reports == [.clear, .clear])
    #expect(bench.publisher.state.phase == .error)
    cache.refuse()
    bench.cancel(bench.refresh())
    #expect(cache.operations == [.clear, .clear, .clear])
    #expect(cache.content == nil)
    #expect(!bench.states.contains { $0.value == 1 })
    bench.refresh()
    #expect(cache.operations.last == .read)
  }

  @Test("5.10: or before a write has replaced what was there")
  func required_5_10_writeAfterFailingClear() {
    let refusing = Refusing(1)
    let (bench, cache) = (refusing.bench, refusing.cache)
    defer { bench.finish() }
    cache.refuse(.clear, .write)
    bench.manager.logout()
    bench.refresh()
    // A write that fails leaves the old value there: it must not be read.
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

  @Test("5.10: a cache that hangs is given up by the load's time-out, and asked nothing else meanwhile")
  func required_5_10_5_07_hangingRead() {
    let cache = ProbeCache(1)
    let bench = LoadBench(timeout: .seconds(10), cache: cache)
    defer { bench.finish() }
    cache.hold(.read)
    let caller = bench.refresh()
    bench.pass(.seconds(10))
    #expect(bench.states.last == .loading(previous: nil))
    let failures = bench.states.compactMap { $0.error as? CacheFailure }
    #expect(failures.map(\.operation) == [.read])
    #expect(failures.first?.reason as? LoadTimedOut == LoadTimedOut(timeout: .seconds(10)))
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(cache.operations == [.read])
    cache.letGo(.read)
    bench.run()
    #expect(cache.operations == [.read, .write])
    #expect(bench.publisher.state == .loaded(7))
    #expect(cache.content == 7)
  }

  @Test("5.10: of the values that wait to be written only the newest is")
  func required_5_10_newestWrite() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    cache.hold(.write)
    for number in 0..<4 {
      bench.refresh()
      bench.answer(number, number)
    }
    cache.letGo(.write)
    bench.run()
    #expect(cache.operations == [.read, .write, .write])
    #expect(cache.content == 3)
  }

  @Test("5.10: who waits for the cache and is cancelled returns, though the cache hangs")
  func required_5_10_waitCancelled() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    cache.hold(.clear)
    bench.manager.logout()
    let waiting = Caller(on: bench.executor) { [manager = bench.manager] in await manager.waitForCache() }
    bench.run()
    #expect(waiting.result == nil)
    waiting.cancel()
    bench.run()
    #expect(waiting.result != nil)
    cache.letGo(.clear)
    bench.run()
  }
}
