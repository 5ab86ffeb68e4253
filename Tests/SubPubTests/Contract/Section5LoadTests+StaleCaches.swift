import SubPub
import SubPubTesting
import Testing

// Rules 5.15 and 5.20: what is stale when it is written isn't fresh as a cached value, and what counts as a change.
extension Section5LoadTests {
  /// How a value is written that an invalidation has overtaken.
  enum Overtaken: String, CaseIterable, Codable, Sendable {
    case loaded, unchanged, answered, cachedAgain

    /// Returns how often the loader was called.
    func perform(at bench: EditBench) -> Int {
      switch self {
      case .loaded, .unchanged:
        bench.loads.refresh()
        bench.manager.invalidate()
        bench.loads.answer(0, self == .loaded ? 6 : 5)
        return 1
      case .answered:
        bench.edit(1)
        bench.manager.invalidate()
        bench.answer(0, 7)
        return 0
      case .cachedAgain:
        // Two answers of which nobody knows which is newer.
        bench.edit(1)
        bench.edit(2)
        bench.answer(1, 7)
        bench.answer(0, 8)
        return 0
      }
    }
  }

  @Test("a value that was stale when it was written isn't fresh as a cached value", arguments: Overtaken.allCases)
  func required_5_15_5_20_5_11_staleInCache(overtaken: Overtaken) {
    let bench = EditBench(
      LoadBench(
        staleAfter: .seconds(600), cache: ProbeCache(), initial: 5, options: { $0.isUnchanged = { $0 == $1 } }))
    let calls = overtaken.perform(at: bench)
    #expect(bench.publisher.isStale)
    bench.publisher.reset()
    bench.loads.refreshIfNeeded()
    #expect(bench.loads.source.calls == calls + 1)
  }

  @Test("a load that finds the data unchanged between an edit and its confirmation counts", arguments: [true, false])
  func required_5_20_5_18_unchangedBetween(answers: Bool) {
    let bench = EditBench(
      LoadBench(staleAfter: .seconds(600), initial: 5, options: { $0.isUnchanged = { $0 == $1 } }))
    if answers { bench.edit(1) } else { bench.note(1) }
    bench.loads.refresh()
    bench.loads.answer(0, 5)
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(51), false))
    if answers { bench.answer(0, 51) } else { bench.accept(0) }
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(51), true))
  }

  @Test("caches that couldn't be cleared leave the table when they have died")
  func required_5_10_taintedLeave() {
    final class Stubborn: StateCache {
      func read() async throws -> Cached<Int>? { nil }
      func write(_ value: Int) async throws {}
      func clear() async throws { throw PublishingTests.Failure.offline }
    }
    let (before, memory) = (CacheOperationQueue.count, MemoryCache(limit: 1))
    do {
      // All of them at once, so that each has an address of its own.
      let benches = (0..<500).map { _ in LoadBench(cache: Stubborn()) }
      for bench in benches { bench.logout() }
    }
    // The table is swept when it has grown to twice its size. These have other identities, whatever their addresses.
    let others = (0..<1_500).map { number in
      LoadingManager<Int>(cache: memory.cache(for: "\(number)")) { number }
    }
    // Other tests have caches as well.
    #expect(CacheOperationQueue.count < before + 1_500 + 250)
    withExtendedLifetime(others) {}
  }

  @Test("of two origins, combined data has the less settled one", arguments: 0..<4, 0..<4)
  func required_5_22_originsInOrder(first: Int, second: Int) {
    let origins: [DataOrigin] = [.edited, .cached, .published, .loaded]
    let edited = EditBench()
    edited.edit(1)
    let cached = LoadBench(cache: ProbeCache(1))
    cached.refreshIfNeeded()
    let published = Publisher<Int>()
    published.updateData(1)
    let loaded = LoadBench()
    loaded.refresh()
    loaded.answer(0, 1)
    let sources = [edited.publisher, cached.publisher, published, loaded.publisher]
    #expect(sources.map(\.current.origin) == origins)
    let both = combining(sources[first].readOnly, sources[second].readOnly)
    #expect(both.current.origin == origins[min(first, second)])
  }

  @Test("an error of a stream, and the loading after it, keep the origin of the previous data")
  func required_5_21_originAfterError() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) })
    let log = bench.listen()
    bench.send(1)
    bench.fail()
    bench.pass(.seconds(1))
    bench.fail()
    #expect(!bench.isRunning)
    #expect(log.states.map(\.phase) == [.unknown, .loading, .loaded, .error, .loading, .error])
    #expect(log.publications.dropFirst(2).allSatisfy { $0.origin == .loaded })
  }

  @Test("a departure is cancelled when somebody comes back, so that its clock needn't wait")
  func required_5_21_departureCancelled() {
    let bench = StreamBench(keepingAlive: .seconds(10))
    let listener = bench.listen()
    bench.send(1)
    bench.leave(listener)
    #expect(bench.clock.sleepers == 1)
    let next = bench.listen()
    #expect(bench.clock.sleepers == 0)
    #expect(bench.isRunning)
    bench.leave(next)
  }
}
