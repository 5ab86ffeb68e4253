import SubPub
import SubPubTesting
import Testing

// Rule 5.10 for caches that several managers share.
extension Section5LoadTests {
  @Test("a manager reads nothing from a cache that another is clearing", arguments: [false, true])
  func required_5_10_nextManager(isReleased: Bool) {
    let cache = ProbeCache(1)
    var first: LoadBench? = LoadBench(cache: cache)
    cache.hold(.clear)
    first?.manager.logout()
    first?.run()
    #expect(cache.operations == [.clear])
    let second = LoadBench(cache: cache)
    second.refresh()
    #expect(cache.operations == [.clear])
    let executor = first?.executor
    if isReleased { first = nil }
    cache.release(.clear)
    executor?.runAll()
    second.run()
    #expect((cache.operations, cache.isOneAtATime) == ([.clear, .read], true))
    #expect(second.states == [.unknown, .loading(previous: nil)])
    withExtendedLifetime(first) {}
  }

  @Test("the next manager of a cache repeats a clear that has failed")
  func required_5_10_taintOfAnother() {
    let cache = ProbeCache(1)
    do {
      let first = LoadBench(cache: cache)
      cache.refuse(.clear)
      first.logout()
    }
    cache.refuse()
    let second = LoadBench(cache: cache)
    second.refresh()
    #expect((cache.operations, cache.content) == ([.clear, .clear], nil))
    #expect(second.states == [.unknown, .loading(previous: nil)])
  }

  @Test("a value that one manager reads when another logs out never shows")
  func required_5_10_readUnderWayOfAnother() {
    let cache = ProbeCache(1)
    let (first, second) = (LoadBench(cache: cache), LoadBench(cache: cache))
    cache.hold(.read)
    second.refresh()
    #expect(cache.operations == [.read])
    first.manager.logout()
    cache.release(.read)
    second.run()
    first.run()
    second.run()
    #expect(second.states == [.unknown, .loading(previous: nil)])
    #expect((cache.operations, second.source.calls) == ([.read, .clear], 1))
  }

  @Test("a load doesn't wait for a read behind another manager's clear")
  func required_5_10_readGivenUp() {
    let cache = ProbeCache(1)
    let (first, second) = (LoadBench(cache: cache), LoadBench(cache: cache))
    cache.hold(.write)
    first.load(5)
    #expect(cache.operations == [.read, .write])
    second.refresh()
    first.manager.logout()
    second.run()
    #expect(second.source.calls == 1)
    cache.release(.write)
    first.run()
    second.run()
    #expect((second.states, cache.content) == ([.unknown, .loading(previous: nil)], nil))
  }

  @Test("a failed clear doesn't keep its cache alive, nor taint a new cache at the same address; both leave the table")
  func required_5_10_taintedLeave() {
    final class MortalCache: StateCache {
      let content: Int?
      let shortLived: Deaths.Token
      init(_ content: Int?, _ deaths: Deaths) { (self.content, shortLived) = (content, deaths.makeToken()) }
      func read() async throws -> Cached<Int>? { content.map { Cached(value: $0, age: .zero) } }
      func write(_ value: Int) async throws {}
      func clear() async throws { throw Failure.offline }
    }
    let (deaths, rounds) = (Deaths(), 2_000)
    let before = CacheOperationQueue.count
    for round in 0..<rounds {
      let bench = LoadBench(cache: MortalCache(round, deaths))
      if round.isMultiple(of: 2) {
        bench.logout()
      } else {
        bench.refresh()
        #expect(bench.publisher.state == .loading(previous: round))
      }
    }
    #expect(deaths.count == rounds)
    // Other tests have caches as well.
    #expect(CacheOperationQueue.count < before + rounds / 2)
    expectTaintedToLeave()
  }

  private func expectTaintedToLeave() {
    let (before, memory) = (CacheOperationQueue.count, MemoryCache(limit: 1))
    do {
      // All of them at once, so that each has an address of its own.
      let benches = (0..<500).map { _ in
        let cache = ProbeCache()
        cache.refuse(.clear)
        return LoadBench(cache: cache)
      }
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

  @Test("managers that read one cache at the same time all get its value")
  func required_5_10_readsOfSeveral() {
    let cache = ProbeCache(1)
    let benches = (0..<3).map { _ in LoadBench(cache: cache) }
    cache.hold(.read)
    for bench in benches { bench.refresh() }
    #expect(cache.operations == [.read])
    cache.release(.read)
    for _ in benches { for bench in benches { bench.run() } }
    for bench in benches { #expect(bench.publisher.state == .loading(previous: 1)) }
    #expect(cache.operations == [.read, .read, .read])
  }

  /// A value type with the identity of the cache that it wraps, and without ages.
  struct NamedCache: StateCache {
    let probe: ProbeCache
    var identity: CacheIdentity? { CacheIdentity(of: probe) }
    func read() async throws -> Cached<Int>? { try await probe.read() }
    func write(_ value: Int) async throws { try await probe.write(value) }
    func clear() async throws { try await probe.clear() }
  }

  @Test("caches with the same identity share their order")
  func required_5_10_identity() {
    let probe = ProbeCache(1)
    let (first, second) = (LoadBench(cache: probe), LoadBench(cache: NamedCache(probe: probe)))
    probe.hold(.clear)
    first.logout()
    second.refresh()
    #expect(probe.operations == [.clear])
    probe.release(.clear)
    first.run()
    second.run()
    #expect(probe.operations == [.clear, .read])
    let memory = MemoryCache(limit: 9)
    let entries = ["a", "a", "b"].map { memory.cache(for: $0, of: Int.self) }
    #expect(entries[0].identity == entries[1].identity)
    #expect(entries[0].identity != entries[2].identity)
    #expect(CacheIdentity(named: "a") == CacheIdentity(named: "a"))
    #expect(CacheIdentity(named: "a") != CacheIdentity(named: "b"))
  }

  @Test("a read that was requested between two writes sees the newer one, which takes the place of the older")
  func required_5_10_5_16_readBetweenWrites() {
    let cache = ProbeCache()
    let (first, second) = (LoadBench(cache: cache), LoadBench(cache: cache))
    cache.hold(.write)
    first.manager.set(1)
    first.run()
    first.manager.set(2)
    second.refreshIfNeeded()
    first.manager.set(3)
    cache.release(.write)
    first.run()
    second.run()
    #expect((second.publisher.state, second.source.calls) == (.loaded(3), 0))
    #expect(cache.operations == [.write, .write, .read])
  }

  @Test("only the newest pending write is kept, even with reads in between")
  func required_5_10_writesInBetween() {
    var pending = PendingOperations()
    let (deaths, reader) = (Deaths(), Deaths())
    for _ in 0..<5 {
      let value = deaths.makeToken()
      _ = pending.append(.write(hasNews: false) { _ in withExtendedLifetime(value) {} })
      _ = pending.append(.read(for: ObjectIdentifier(reader)) {})
    }
    #expect((pending.operations.count, deaths.count) == (2, 4))
  }

  @Test("the cache is cleared even if the write that fails has taken the place of one with a confirmed edit")
  func required_5_20_5_10_replacedWrite() {
    let cache = ProbeCache()
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: cache))
    cache.hold(.write)
    bench.manager.set(5)
    bench.loads.run()
    bench.edit(1)
    bench.answer(0, 51)
    bench.manager.set(6)
    cache.refuse(.write)
    cache.release(.write)
    bench.loads.run()
    #expect((cache.content, cache.operations) == (nil, [.write, .write, .clear]))
  }
}
