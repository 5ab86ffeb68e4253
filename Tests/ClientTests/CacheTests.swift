import SubPub
import SubPubTesting
import Synchronization
import Testing

extension ClientTests {
  @Suite("Caches keep the value of a manager")
  struct CacheTests {
    nonisolated final class OneValue: StateCache {
      private let kept = Mutex<Int?>(nil)
      let isBroken: Bool
      init(isBroken: Bool = false) { self.isBroken = isBroken }

      var value: Int? { kept.withLock { $0 } }
      func read() async throws -> Cached<Int>? { value.map { Cached(value: $0, age: .seconds(9)) } }
      func write(_ value: Int) async throws {
        if isBroken { throw Failure.denied }
        kept.withLock { $0 = value }
      }
      func clear() async throws { kept.withLock { $0 = nil } }
    }

    let clock = ManualClock()

    @Test("a cached value shows with its age before the load has ended, and a logout clears it")
    func cachedManagers() async throws {
      let (cache, gate) = (OneValue(), AsyncGate())
      do {
        let manager = LoadingManager<Int>(
          clock: clock, cache: cache, cacheFailed: { Issue.record("\($0)") }, load: { 1 })
        await manager.refresh()
        await manager.waitForCache()
      }
      #expect(cache.value == 1)
      let manager = LoadingManager<Int>(
        staleAfter: .seconds(10), clock: clock, cache: cache, cachePolicy: .alwaysLoad
      ) {
        await gate.pass()
        return 2
      }
      let recorder = Recorder<Int>()
      manager.publisher.subscribe(recorder, on: .immediate)
      manager.refreshIfNeeded()
      try await gate.waitUntilHeld()
      #expect(recorder.states == [.unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1)])
      #expect(manager.publisher.age(of: manager.publisher.current) == .seconds(9))
      #expect(manager.publisher.current.origin == .cached)
      gate.open()
      #expect(await manager.refresh() == .loaded(2))
      manager.logout()
      await manager.waitForCache()
      #expect(cache.value == nil)
      #expect(Set<CachePolicy>([.alwaysLoad, .loadIfStale]).count == 2)
    }

    @Test("a cache that fails is reported, with the operation and the reason")
    func failures() async {
      let failures = Journal<CacheFailure>()
      let manager = LoadingManager<Int>(
        cache: OneValue(isBroken: true), cacheFailed: { failures.add($0) }, load: { 1 })
      #expect(await manager.refresh() == .loaded(1))
      await manager.waitForCache()
      #expect(failures.entries.map(\.operation) == [.write])
      #expect(failures.entries.first?.reason as? Failure == .denied)
      #expect(CacheFailure(operation: .read, reason: Failure.offline).description.contains("read: offline"))
      #expect(Set<CacheFailure.Operation>([.read, .write, .clear]).count == 3)
    }

    @Test("a memory cache keeps what was used last, up to a limit")
    func memory() async {
      let memory = MemoryCache(limit: 10, clock: clock)
      let names = memory.cache(for: "names", of: [String].self, size: \.count)
      let number: MemoryCacheEntry<Int> = memory.cache(for: "number")
      #expect(names.key == "names")
      #expect(names.read() == nil)
      names.write(["Ada", "Grace"])
      await number.write(7, age: .seconds(1))
      clock.advance(by: .seconds(3))
      #expect(names.read() == Cached(value: ["Ada", "Grace"], age: .seconds(3)))
      #expect(number.read()?.age == .seconds(4))
      #expect(memory.count == 2)
      #expect(memory.size == 3, "a size by the closure, and one that counts 1")
      #expect(memory.limit == 10)
      #expect("\(memory)" == "MemoryCache(2 values, size 3 of 10)")

      names.write(Array(repeating: "x", count: 10))
      #expect(number.read() == nil, "what was used less recently makes room")
      names.write(Array(repeating: "x", count: 11))
      #expect(names.read() == nil, "what is larger than the limit isn't kept")
      number.write(8)
      number.clear()
      #expect(number.read() == nil)
      number.write(9)
      memory.removeAll()
      #expect(number.read() == nil)
    }

    @Test("a memory cache is a cache like any other, and caches of one key are one")
    func identities() async throws {
      let memory = MemoryCache(limit: 10)
      let cache: any StateCache<Int> = memory.cache(for: "number", of: Int.self)
      try await cache.write(8)
      #expect(try await cache.read()?.value == 8)
      try await cache.clear()
      #expect(try await cache.read() == nil)
      #expect(cache.identity == memory.cache(for: "number", of: Int.self).identity)
      let file = CacheIdentity(named: "a file")
      #expect(Set([file, CacheIdentity(named: "a file"), CacheIdentity(of: memory)]).count == 2)
      let own = OneValue()
      #expect(own.identity == CacheIdentity(of: own))
      try await own.write(1, age: .seconds(5))
      #expect(own.value == 1, "by default, the age is forgotten")
      #expect(Set([Cached(value: 1, age: .seconds(-1)), Cached(value: 1, age: .zero)]).count == 1)
    }
  }
}
