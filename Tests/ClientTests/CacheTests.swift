import SubPub
import SubPubTesting
import Synchronization
import Testing

extension ClientTests {
  @Suite("Caches keep the value of a manager")
  struct CacheTests {
    /// Keeps one value, and refuses negative ones.
    nonisolated final class OneValue: StateCache {
      private let kept = Mutex<Int?>(nil)

      var value: Int? { kept.withLock { $0 } }
      func read() async throws -> Cached<Int>? { value.map { Cached(value: $0, age: .seconds(9)) } }
      func write(_ value: Int) async throws {
        if value < 0 { throw Failure.denied }
        kept.withLock { $0 = value }
      }
      func clear() async throws { kept.withLock { $0 = nil } }
    }

    let clock = ManualClock()

    @Test("a cached value shows with its age before the load has ended, a logout clears it, and failures are reported")
    func cachedManagers() async throws {
      let (cache, gate, failures) = (OneValue(), AsyncGate(), Journal<CacheFailure>())
      try await cache.write(1, age: .seconds(5))  // by default, the age is forgotten
      let manager = LoadingManager<Int>(
        staleAfter: .seconds(10), clock: clock, cache: cache, cachePolicy: .alwaysLoad,
        cacheFailed: { failures.add($0) }
      ) {
        await gate.pass()
        return -2
      }
      let recorder = Recorder<Int>()
      manager.publisher.subscribe(recorder, on: .immediate)
      manager.refreshIfNeeded()
      try await gate.waitUntilHeld(within: patience)
      #expect(recorder.states == [.unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1)])
      #expect(manager.publisher.age(of: manager.publisher.current) == .seconds(9))
      #expect(manager.publisher.current.origin == .cached)
      gate.open()
      try await recorder.wait(within: patience) { $0 == .loaded(-2) }
      await manager.waitForCache()
      manager.logout()
      await manager.waitForCache()
      #expect(cache.value == nil)
      #expect(failures.entries.map(\.operation) == [.write])
      #expect(failures.entries.first?.reason as? Failure == .denied)
      #expect(CacheFailure(operation: .read, reason: Failure.offline).description.contains("read: offline"))
      #expect(Set<CacheFailure.Operation>([.read, .write, .clear]).count == 3)
      #expect(Set<CachePolicy>([.alwaysLoad, .loadIfStale]).count == 2)
    }

    @Test("a memory cache keeps what was used last, up to a limit")
    func memory() async {
      let memory = MemoryCache(limit: 10, clock: clock)
      let names = memory.cache(for: "names", of: [String].self, size: \.count)
      let number: MemoryCacheEntry<Int> = memory.cache(for: "number")
      #expect((names.key, names.read()) == ("names", nil))
      names.write(["Ada", "Grace"])
      await number.write(7, age: .seconds(1))
      clock.advance(by: .seconds(3))
      #expect(names.read() == Cached(value: ["Ada", "Grace"], age: .seconds(3)))
      #expect(number.read()?.age == .seconds(4))
      clock.advance(by: .seconds(2))
      #expect(number.read()?.age == .seconds(6), "a read doesn't make the value younger")
      #expect((memory.count, memory.size, memory.limit) == (2, 3, 10))
      #expect("\(memory)" == "MemoryCache(2 values, size 3 of 10)")
      names.write(Array(repeating: "x", count: 10))
      #expect(names.read()?.age == .zero)
      #expect(number.read() == nil, "what was used less recently makes room")
      names.clear()
      #expect(names.read() == nil)
      number.write(9)
      memory.removeAll()
      #expect(number.read() == nil)
    }

    @Test("a memory cache is a cache like any other, and caches of one key are one")
    func identities() async throws {
      let (memory, own) = (MemoryCache(limit: 10), OneValue())
      let cache: any StateCache<Int> = memory.cache(for: "number", of: Int.self)
      try await cache.write(8)
      #expect(try await cache.read()?.value == 8)
      try await cache.clear()
      #expect(cache.identity == memory.cache(for: "number", of: Int.self).identity)
      #expect(own.identity == CacheIdentity(of: own))
      let file = CacheIdentity(named: "a file")
      #expect(Set([file, CacheIdentity(named: "a file"), own.identity]).count == 2)
      #expect(Set([Cached(value: 1, age: .seconds(-1)), Cached(value: 1, age: .zero)]).count == 1)
    }
  }
}
