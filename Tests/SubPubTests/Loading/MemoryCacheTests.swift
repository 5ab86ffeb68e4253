import SubPub
import SubPubTesting
import Testing

@Suite("A memory cache keeps what was used last, up to a limit that its managers share", .timeLimit(.minutes(1)))
struct MemoryCacheTests {
  @Test("what was written is read, and is gone after a clear")
  func roundTrip() async throws {
    let memory = MemoryCache(limit: 10)
    let names: any StateCache<[String]> = memory.cache(for: "names")
    #expect(try await names.read() == nil)
    try await names.write(["Ada"])
    #expect(try await names.read()?.value == ["Ada"])
    try await names.write(["Grace"])
    #expect(try await names.read()?.value == ["Grace"])
    #expect(memory.count == 1)
    try await names.clear()
    #expect(try await names.read() == nil)
    #expect(memory.count == 0 && memory.size == 0)
    try await names.clear()
  }

  @Test("two caches for one key share the value, and those for other keys don't")
  func keys() {
    let memory = MemoryCache(limit: 10)
    let (first, second) = (memory.cache(for: "a", of: Int.self), memory.cache(for: "a", of: Int.self))
    let other = memory.cache(for: "b", of: Int.self)
    first.write(1)
    #expect(second.read()?.value == 1)
    #expect(other.read() == nil)
    other.write(2)
    second.clear()
    #expect(first.read() == nil)
    #expect(other.read()?.value == 2)
    #expect(other.key == "b")
  }

  @Test("nil is a value like any other")
  func nilValue() {
    let cache = MemoryCache(limit: 1, clock: ManualClock()).cache(for: "a", of: Int?.self)
    cache.write(nil)
    #expect(cache.read() == Cached(value: nil, age: .zero))
  }

  @Test("the age is the time since the write, on the clock of the cache")
  func age() {
    let clock = ManualClock()
    let memory = MemoryCache(limit: 10, clock: clock)
    let cache = memory.cache(for: "a", of: Int.self)
    cache.write(1)
    #expect(cache.read() == Cached(value: 1, age: .zero))
    clock.advance(by: .seconds(5))
    #expect(cache.read() == Cached(value: 1, age: .seconds(5)))
    clock.advance(by: .seconds(2))
    #expect(cache.read() == Cached(value: 1, age: .seconds(7)), "a read makes nothing younger")
    cache.write(2)
    #expect(cache.read() == Cached(value: 2, age: .zero))
  }

  @Test("what was neither read nor written for the longest time goes first")
  func order() {
    let memory = MemoryCache(limit: 3)
    let caches = (0..<4).map { memory.cache(for: "\($0)", of: Int.self) }
    for number in 0..<3 { caches[number].write(number) }
    _ = caches[0].read()
    caches[1].write(10)
    caches[3].write(3)
    #expect(caches.map { $0.read()?.value } == [0, 10, nil, 3])
    #expect(memory.count == 3)
  }

  @Test("a large value takes the place of as many small ones as it has to, and no more")
  func sizes() {
    let memory = MemoryCache(limit: 10)
    let caches = (0..<5).map { memory.cache(for: "\($0)", of: Int.self, size: { $0 }) }
    for cache in caches.dropLast() { cache.write(2) }
    #expect(memory.size == 8)
    caches[4].write(5)
    #expect(caches.map { $0.read()?.value } == [nil, nil, 2, 2, 5])
    #expect(memory.size == 9)
    caches[4].write(6)
    #expect(caches.map { $0.read()?.value } == [nil, nil, 2, 2, 6], "its own room is free")
    #expect(memory.size == 10)
  }

  @Test("a value larger than the limit isn't kept, and the outdated one goes; other keys stay")
  func tooLarge() {
    let memory = MemoryCache(limit: 10)
    let cache = memory.cache(for: "a", of: Int.self, size: { $0 })
    let other = memory.cache(for: "b", of: Int.self)
    other.write(7)
    cache.write(3)
    cache.write(11)
    #expect(cache.read() == nil)
    #expect(other.read()?.value == 7)
    #expect(memory.size == 1 && memory.count == 1)
    cache.write(.max)
    #expect(cache.read() == nil)
    cache.write(9)
    #expect(memory.size == 10 && memory.count == 2)
    cache.write(10)
    #expect(other.read() == nil, "exactly the limit is kept, alone")
    #expect(cache.read()?.value == 10)
  }

  @Test("sums of sizes don't overflow")
  func hugeSizes() {
    let memory = MemoryCache(limit: .max)
    let caches = (0..<2).map { memory.cache(for: "\($0)", of: Int.self, size: { $0 }) }
    caches[0].write(.max)
    caches[1].write(.max - 1)
    #expect(caches.map { $0.read()?.value } == [nil, .max - 1])
    #expect(memory.size == .max - 1)
  }

  @Test("removing everything leaves nothing, and everything works on")
  func removeAll() {
    let memory = MemoryCache(limit: 10)
    let (numbers, texts) = (memory.cache(for: "a", of: Int.self), memory.cache(for: "b", of: String.self))
    numbers.write(1)
    texts.write("one")
    memory.removeAll()
    #expect(numbers.read() == nil)
    #expect(texts.read() == nil)
    #expect(memory.size == 0 && memory.count == 0)
    texts.write("two")
    #expect(texts.read()?.value == "two")
    #expect(memory.count == 1)
  }

  @Test("values stay when their cache is released, for the next one with the key")
  func released() {
    let memory = MemoryCache(limit: 10)
    memory.cache(for: "a").write(1)
    #expect(memory.count == 1)
    #expect(memory.cache(for: "a", of: Int.self).read()?.value == 1)
  }

  @Test("a key without a cache and without a value is free for another type")
  func freeKey() {
    let memory = MemoryCache(limit: 1)
    memory.cache(for: "a").write(1)
    memory.cache(for: "b").write(2)
    let text = memory.cache(for: "a", of: String.self)
    text.write("one")
    #expect(text.read()?.value == "one")
    #expect(memory.count == 1)
  }

  @Test("a value dies when it is replaced, cleared, displaced, too large, removed with all, or left by its memory")
  func deaths() {
    let deaths = Deaths()
    var memory: MemoryCache? = MemoryCache(limit: 1)
    typealias Mortals = [Deaths.Mortal]
    var cache = memory?.cache(for: "a", of: Mortals.self, size: { $0.count })
    cache?.write([deaths.mortal()])
    cache?.write([deaths.mortal()])
    #expect(deaths.count == 1)
    cache?.clear()
    #expect(deaths.count == 2)
    cache?.write([deaths.mortal()])
    memory?.cache(for: "b").write(0)
    #expect(deaths.count == 3)
    cache?.write([deaths.mortal(), deaths.mortal()])
    #expect(deaths.count == 5)
    cache?.write([deaths.mortal()])
    memory?.removeAll()
    #expect(deaths.count == 6)
    cache?.write([deaths.mortal()])
    memory = nil
    #expect(deaths.count == 6, "the cache of a manager keeps the memory")
    cache = nil
    #expect(deaths.count == 7)
  }

  @Test("a description says how much is kept")
  func description() {
    let memory = MemoryCache(limit: 10)
    memory.cache(for: "a", size: { $0 }).write(4)
    #expect("\(memory)" == "MemoryCache(1 value, size 4 of 10)")
    memory.cache(for: "b").write("b")
    #expect("\(memory)" == "MemoryCache(2 values, size 5 of 10)")
  }
}
