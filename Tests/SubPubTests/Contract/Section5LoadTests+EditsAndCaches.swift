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

  @Test("previous data that update keeps has the server's origin, without the pending edits")
  func required_5_06_5_20_originOfPrevious() {
    let bench = EditBench(LoadBench(initial: 5))
    bench.note(1)
    #expect(bench.origin == .edited)
    bench.publisher.update { .error(Failure.offline, previous: $0.value) }
    #expect((bench.publisher.state, bench.origin) == (.error(Failure.offline, previous: 5), .published))
  }
}
