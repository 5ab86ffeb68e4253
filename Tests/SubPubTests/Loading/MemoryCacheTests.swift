import SubPub
import SubPubTesting
import Testing

@Suite("A memory cache keeps what was used last, up to a limit that its managers share", .hangLimit)
struct MemoryCacheTests {
  @Test("nil is a value like any other, which outlives its cache; a key without a value is free for another type")
  func values() {
    let memory = MemoryCache(limit: 1, clock: ManualClock())
    memory.cache(for: "a", of: Int?.self).write(nil)
    #expect(memory.cache(for: "a", of: Int?.self).read() == Cached(value: nil, age: .zero))
    memory.cache(for: "b").write(2)
    let text = memory.cache(for: "a", of: String.self)
    text.write("one")
    #expect((text.key, text.read()?.value) == ("a", "one"))
    #expect("\(memory)" == "MemoryCache(1 value, size 1 of 1)")
  }

  @Test("the sum of the sizes doesn't overflow")
  func hugeSizes() {
    let memory = MemoryCache(limit: .max)
    let caches = (0..<2).map { memory.cache(for: "\($0)", of: Int.self, size: { $0 }) }
    caches[0].write(.max)
    caches[1].write(.max - 1)
    #expect((caches.map { $0.read()?.value }, memory.size) == ([nil, .max - 1], .max - 1))
  }

  @Test("the cache for a key keeps the memory cache and its values alive")
  func deaths() {
    let deaths = Deaths()
    var memory: MemoryCache? = MemoryCache(limit: 1)
    var cache = memory?.cache(for: "a", of: Deaths.Token.self)
    cache?.write(deaths.makeToken())
    memory = nil
    #expect((deaths.count, cache?.read() == nil) == (0, false))
    cache = nil
    #expect(deaths.count == 1)
  }
}

@Suite("A memory cache holds no lock while foreign code runs", .hangLimit)
struct MemoryCacheForeignCodeTests {
  /// Uses every function of the cache, which a lock would block.
  static func use(_ memory: MemoryCache) {
    let cache = memory.cache(for: "of the other thread", of: Int.self)
    cache.write(1)
    _ = cache.read()
    cache.clear()
    #expect(memory.count >= 0 && memory.size >= 0)
  }

  @Test("another thread can use it while a size is measured")
  func required_1_04_cacheSize() async throws {
    let memory = MemoryCache(limit: 2)
    let probe = LockProbe { [weak memory] in if let memory { Self.use(memory) } }
    let cache = memory.cache(for: "a", of: Int.self) { _ in
      probe.run()
      return 1
    }
    probe.arm()
    try await OwnThread.run { cache.write(1) }
    try await probe.wait()
  }

  @Test("another thread can use it while the clock is read", arguments: [true, false])
  func required_1_04_cacheClock(writing: Bool) async throws {
    let clock = CountingClock()
    let memory = MemoryCache(limit: 2, clock: clock)
    let probe = LockProbe { [weak memory] in if let memory { Self.use(memory) } }
    clock.whenRead { probe.run() }
    let cache = memory.cache(for: "a", of: Int.self)
    cache.write(1)
    probe.arm()
    try await OwnThread.run { if writing { cache.write(2) } else { _ = cache.read() } }
    try await probe.wait()
  }

  enum Removal: CaseIterable { case replaced, cleared, displaced, tooLarge, removed }

  private struct Content: Sendable {
    var payload: DeinitAction?
    var size: Int
  }

  @Test("another thread can use it while a value is released", arguments: Removal.allCases)
  func required_1_04_cachedValue(removal: Removal) async throws {
    let memory = MemoryCache(limit: 4)
    let probe = LockProbe { [weak memory] in if let memory { Self.use(memory) } }
    let cache = memory.cache(for: "a", of: Content.self, size: \.size)
    cache.write(Content(payload: DeinitAction(probe.run), size: 2))
    probe.arm()
    try await OwnThread.run {
      switch removal {
      case .replaced: cache.write(Content(size: 1))
      case .cleared: cache.clear()
      case .displaced: memory.cache(for: "b", of: Int.self, size: { $0 }).write(3)
      case .tooLarge: cache.write(Content(size: 5))
      case .removed: memory.removeAll()
      }
    }
    try await probe.wait()
  }
}
