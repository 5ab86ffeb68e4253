import SubPub
import SubPubTesting
import Testing

// Rule 5.10: order belongs to the cache, and not to one of its managers.
extension Section5LoadTests {
  @Test("5.10: a manager on the cache of one that has logged out reads nothing of before", arguments: [false, true])
  func required_5_10_nextManager(isReleased: Bool) {
    let cache = ProbeCache(1)
    var first: LoadBench? = LoadBench(cache: cache)
    cache.hold(.clear)
    first?.manager.logout()
    first?.run()
    #expect(cache.operations == [.clear])
    let second = LoadBench(cache: cache)
    defer { second.finish() }
    second.refresh()
    #expect(cache.operations == [.clear])
    let executor = first?.executor
    if isReleased { first = nil }
    cache.letGo(.clear)
    executor?.runAll()
    second.run()
    #expect(cache.operations == [.clear, .read])
    #expect(cache.isOneAtATime)
    #expect(second.states == [.unknown, .loading(previous: nil)])
    first?.finish()
  }

  @Test("5.10: a clear that failed is made up for by the next manager of the cache, whoever asked for it")
  func required_5_10_taintOfAnother() {
    let cache = ProbeCache(1)
    do {
      let first = LoadBench(cache: cache)
      defer { first.finish() }
      cache.refuse(.clear)
      first.manager.logout()
      first.run()
    }
    cache.refuse()
    let second = LoadBench(cache: cache)
    defer { second.finish() }
    second.refresh()
    #expect(cache.operations == [.clear, .clear])
    #expect(cache.content == nil)
    #expect(second.states == [.unknown, .loading(previous: nil)])
  }

  @Test("5.10: what one manager is reading when another logs out shows nowhere")
  func required_5_10_readUnderWayOfAnother() {
    let cache = ProbeCache(1)
    let (first, second) = (LoadBench(cache: cache), LoadBench(cache: cache))
    defer {
      first.finish()
      second.finish()
    }
    cache.hold(.read)
    second.refresh()
    #expect(cache.operations == [.read])
    first.manager.logout()
    cache.letGo(.read)
    second.run()
    first.run()
    second.run()
    #expect(second.states == [.unknown, .loading(previous: nil)])
    #expect(cache.operations == [.read, .clear])
    #expect(second.source.calls == 1)
  }

  @Test("5.10: a read that waits behind another manager's clear finds nothing, and the load goes on")
  func required_5_10_readGivenUp() {
    let cache = ProbeCache(1)
    let (first, second) = (LoadBench(cache: cache), LoadBench(cache: cache))
    defer {
      first.finish()
      second.finish()
    }
    cache.hold(.write)
    first.refresh()
    first.answer(0, 5)
    #expect(cache.operations == [.read, .write])
    second.refresh()
    first.manager.logout()
    second.run()
    #expect(second.source.calls == 1)
    cache.letGo(.write)
    first.run()
    second.run()
    #expect(second.states == [.unknown, .loading(previous: nil)])
    #expect(cache.content == nil)
  }

  @Test("5.10: a cache that can't be cleared doesn't live longer for it, and its address may be another's")
  func required_5_10_taintedDies() {
    /// Says so when it dies.
    final class MortalCache: StateCache {
      let content: Int?
      let mortal: Deaths.Mortal
      init(_ content: Int?, _ deaths: Deaths) { (self.content, mortal) = (content, deaths.mortal()) }
      func read() async throws -> Cached<Int>? { content.map { Cached(value: $0, age: .zero) } }
      func write(_ value: Int) async throws {}
      func clear() async throws { throw PublishingTests.Failure.offline }
    }
    let (deaths, rounds) = (Deaths(), 2_000)
    let before = CacheOperationQueue.count
    for round in 0..<rounds {
      let bench = LoadBench(cache: MortalCache(round, deaths))
      defer { bench.finish() }
      if round.isMultiple(of: 2) {
        bench.manager.logout()
        bench.run()
      } else {
        bench.refresh()
        #expect(bench.publisher.state == .loading(previous: round))
      }
    }
    #expect(deaths.count == rounds)
    // Other tests have caches, too.
    #expect(CacheOperationQueue.count < before + rounds / 2)
  }

  @Test("5.10: what several managers want to read of one cache at a time, each of them gets")
  func required_5_10_readsOfSeveral() {
    let cache = ProbeCache(1)
    let benches = (0..<3).map { _ in LoadBench(cache: cache) }
    defer { for bench in benches { bench.finish() } }
    cache.hold(.read)
    for bench in benches { bench.refresh() }
    #expect(cache.operations == [.read])
    cache.letGo(.read)
    for _ in benches { for bench in benches { bench.run() } }
    for bench in benches { #expect(bench.publisher.state == .loading(previous: 1)) }
    #expect(cache.operations == [.read, .read, .read])
  }

  /// A value without an identity, and one that shares what it keeps.
  struct NamedCache: StateCache {
    let probe: ProbeCache
    var identity: CacheIdentity? { CacheIdentity(of: probe) }
    func read() async throws -> Cached<Int>? { try await probe.read() }
    func write(_ value: Int) async throws { try await probe.write(value) }
    func clear() async throws { try await probe.clear() }
  }

  @Test("5.10: caches with one identity count as one")
  func required_5_10_identity() {
    let probe = ProbeCache(1)
    let (first, second) = (LoadBench(cache: probe), LoadBench(cache: NamedCache(probe: probe)))
    defer {
      first.finish()
      second.finish()
    }
    probe.hold(.clear)
    first.manager.logout()
    first.run()
    second.refresh()
    #expect(probe.operations == [.clear])
    probe.letGo(.clear)
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

  @Test("5.10: of several values that wait to be written only the newest is kept, whoever reads in between")
  func required_5_10_writesInBetween() {
    var pending = PendingOperations()
    let (deaths, reader) = (Deaths(), Deaths())
    for _ in 0..<5 {
      let value = deaths.mortal()
      _ = pending.append(.write { withExtendedLifetime(value) {} })
      _ = pending.append(.read(for: ObjectIdentifier(reader)) {})
    }
    #expect(pending.operations.count == 2)
    #expect(deaths.count == 4)
  }

  @Test("5.10: a task that waits for a blocked cache, and is cancelled, leaves nothing behind")
  func required_5_10_cancelledWait() throws {
    var pending = PendingOperations()
    #expect(pending.append(.write {}).isEmpty)
    let marks = [pending.addMark(), pending.addMark()]
    let (first, second) = (try #require(marks[0]), try #require(marks[1]))
    var effects = Effects()
    pending.removeMark(of: first, &effects)
    #expect(pending.operations.count == 2)
    pending.removeMark(of: second, &effects)
    #expect(pending.operations.count == 1)
    #expect(!pending.waiters.contains(second))
  }
}
