import SubPub
import SubPubTesting

func memoryCaches() async {
  let clock = ManualClock()
  let memory = MemoryCache(limit: 10, clock: clock)
  let names = memory.cache(for: "names", of: [String].self, size: \.count)
  let number: MemoryCacheEntry<Int> = memory.cache(for: "number")
  expectEqual(names.key, "names", "the key")
  expectEqual(names.read(), nil, "nothing is kept")

  names.write(["Ada", "Grace"])
  number.write(7)
  clock.advance(by: .seconds(3))
  expectEqual(names.read(), Cached(value: ["Ada", "Grace"], age: .seconds(3)), "what was written, and its age")
  expectEqual(memory.count, 2, "two values")
  expectEqual(memory.size, 3, "a size by the closure, and one that counts 1")
  expectEqual(memory.limit, 10, "the limit")
  expectEqual("\(memory)", "MemoryCache(2 values, size 3 of 10)", "the description")

  names.write(Array(repeating: "x", count: 10))
  expectEqual(number.read(), nil, "what was used less recently makes room")
  names.write(Array(repeating: "x", count: 11))
  expectEqual(names.read(), nil, "what is larger than the limit isn't kept")

  do {
    let cache: any StateCache<Int> = number
    try await cache.write(8)
    expectEqual(try await cache.read()?.value, 8, "as any cache")
    try await cache.clear()
    expectEqual(try await cache.read()?.value, nil, "after a clear")
  } catch {
    fail("a memory cache throws nothing: \(error)")
  }
  expectEqual(number.identity, memory.cache(for: "number", of: Int.self).identity, "two caches of one key are one")
  let file = CacheIdentity(named: "a file")
  expectEqual(Set([file, CacheIdentity(named: "a file"), CacheIdentity(of: memory)]).count, 2, "identities")
  number.write(9)
  memory.removeAll()
  expectEqual(number.read(), nil, "after all was removed")
  expectEqual(Set([Cached(value: 1, age: .seconds(-1)), Cached(value: 1, age: .zero)]).count, 1, "no age is negative")
  passed("MemoryCache")
}
