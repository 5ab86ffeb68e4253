import SubPub
import SubPubTesting
import Testing

@Suite("A memory cache holds no lock while foreign code runs", .timeLimit(.minutes(1)))
struct MemoryCacheForeignCodeTests {
  /// What the other thread does with the cache meanwhile.
  static func use(_ memory: MemoryCache) {
    let cache = memory.cache(for: "of the other thread", of: Int.self)
    cache.write(1)
    _ = cache.read()
    cache.clear()
    #expect(memory.count >= 0 && memory.size >= 0)
  }

  @Test("while a size is measured")
  func required_1_04_cacheSize() async throws {
    let memory = MemoryCache(limit: 2)
    let intrusion = Intrusion { [weak memory] in if let memory { Self.use(memory) } }
    let cache = memory.cache(for: "a", of: Int.self) { _ in
      intrusion.strike()
      return 1
    }
    intrusion.arm()
    try await OwnThread.run { cache.write(1) }
    try await intrusion.wait()
  }

  @Test("while the clock is read", arguments: [true, false])
  func required_1_04_cacheClock(writing: Bool) async throws {
    let clock = PublishingTests.CountingClock()
    let memory = MemoryCache(limit: 2, clock: clock)
    let intrusion = Intrusion { [weak memory] in if let memory { Self.use(memory) } }
    clock.whenRead { intrusion.strike() }
    let cache = memory.cache(for: "a", of: Int.self)
    cache.write(1)
    intrusion.arm()
    try await OwnThread.run { if writing { cache.write(2) } else { _ = cache.read() } }
    try await intrusion.wait()
  }

  enum End: CaseIterable { case replaced, cleared, displaced, tooLarge, removed }

  private struct Content: Sendable {
    var payload: StruckPayload?
    var size: Int
  }

  @Test("while a value dies", arguments: End.allCases)
  func required_1_04_cachedValue(end: End) async throws {
    let memory = MemoryCache(limit: 4)
    let intrusion = Intrusion { [weak memory] in if let memory { Self.use(memory) } }
    let cache = memory.cache(for: "a", of: Content.self, size: \.size)
    cache.write(Content(payload: StruckPayload(intrusion), size: 2))
    intrusion.arm()
    try await OwnThread.run {
      switch end {
      case .replaced: cache.write(Content(size: 1))
      case .cleared: cache.clear()
      case .displaced: memory.cache(for: "b", of: Int.self, size: { $0 }).write(3)
      case .tooLarge: cache.write(Content(size: 5))
      case .removed: memory.removeAll()
      }
    }
    try await intrusion.wait()
  }
}
