import SubPub
import SubPubTesting
import Testing

// Rule 5.20, with caches, with answers of unknown age, and for edits that were dropped and are confirmed later.
extension Section5LoadTests {
  @Test("an edit that is confirmed after its publisher's end clears the cache, which lacks it, and is released")
  func required_5_20_confirmedAfterEnd() {
    let (executor, server, cache, deaths) = (ManualExecutor(), Source<Int>(isStubborn: true), ProbeCache(5), Deaths())
    do {
      let held = deaths.makeToken()
      let options = LoadingOptions<Int>(on: executor, clock: ManualClock()) { options in
        (options.cache, options.initial) = (cache, 5)
      }
      let manager = LoadingManager(options) { 0 }
      let caller = Caller(on: executor) {
        _ = try? await manager.mutate(
          showing: { number in withExtendedLifetime(held) { number } }, send: { try await server.load() })
      }
      executor.runAll()
      caller.cancel()
      executor.runAll()
    }
    #expect(cache.content == 5)
    server.answer(0, .success(51))
    executor.runAll()
    #expect((cache.content, deaths.count) == (nil, 1))
  }

  @Test("data has the age of its answer, after a load that is dropped and after one that found it unchanged")
  func required_5_20_5_06_ageOfAnswer() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), initial: 5, options: Self.onlyChanges))
    bench.loads.pass(.seconds(30))
    bench.loads.load(5)
    bench.loads.pass(.seconds(20))
    bench.edit(1)
    bench.loads.refresh()
    bench.answer(0, 7)
    bench.loads.pass(.seconds(10))
    #expect(bench.publisher.age(of: bench.publisher.current) == .seconds(10))
    #expect(bench.loads.answer(1, 5) == .loaded(7))
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
    bench.loads.load(6)
    #expect((bench.publisher.state, cache.content) == (.loaded(63), 6))
    bench.answer(1, 7)
    #expect(cache.content == 7)
  }

  @Test("previous data that update keeps has the server's origin, without the pending edits")
  func required_5_06_5_20_originOfPrevious() {
    let bench = EditBench(LoadBench(initial: 5))
    bench.note(1)
    #expect(bench.origin == .edited)
    bench.publisher.update { .error(Failure.offline, previous: $0.value) }
    #expect((bench.publisher.state, bench.origin) == (.error(Failure.offline, previous: 5), .published))
  }
}
