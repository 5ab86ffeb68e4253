import SubPub
import SubPubTesting
import Testing

@Suite("A memory cache behaves like a list that is searched from end to end", .hangLimit)
struct MemoryCacheModelTests {
  /// A list of values, with the one that was used last at the front.
  private struct Model {
    let limit: Int
    private(set) var kept: [(key: Int, value: Int)] = []
    var size: Int { kept.reduce(0) { $0 + $1.value } }

    mutating func read(_ key: Int) -> Int? {
      guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
      kept.insert(kept.remove(at: index), at: 0)
      return kept[0].value
    }

    mutating func write(_ value: Int, for key: Int) {
      clear(key)
      guard value <= limit else { return }
      while size + value > limit { kept.removeLast() }
      kept.insert((key, value), at: 0)
    }

    mutating func clear(_ key: Int) { kept.removeAll { $0.key == key } }
    mutating func removeAll() { kept = [] }
  }

  @Test("the cache and the model agree after every operation of 200 random series", arguments: [1, 5, 20])
  func series(limit: Int) {
    for seed: UInt64 in 0..<200 {
      var generator = SeededGenerator(seed: seed)
      var model = Model(limit: limit)
      let memory = MemoryCache(limit: limit)
      for step in 0..<300 {
        let (key, value) = (Int.random(in: 0..<8, using: &generator), Int.random(in: 0...6, using: &generator))
        // A new cache each time, so that slots are freed and reused.
        let cache = memory.cache(for: "\(key)", of: Int.self, size: { $0 })
        let comment: Comment = "seed \(seed), step \(step)"
        switch Int.random(in: 0..<100, using: &generator) {
        case 0:
          memory.removeAll()
          model.removeAll()
        case ..<15:
          cache.clear()
          model.clear(key)
        case ..<50: #expect(cache.read()?.value == model.read(key), comment)
        default:
          cache.write(value)
          model.write(value, for: key)
        }
        guard memory.size == model.size, memory.count == model.kept.count else {
          Issue.record("\(memory) differs from \(model.kept): \(comment)")
          return
        }
      }
      for key in 0..<8 {
        #expect(memory.cache(for: "\(key)", of: Int.self).read()?.value == model.read(key), "seed \(seed), at the end")
      }
    }
  }

  @Test("with four threads, the limit holds and each read returns what was written for its key")
  func threads() async throws {
    let memory = MemoryCache(limit: 6)
    try await Race.run(threads: 4) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      for step in 0..<3_000 {
        let key = Int.random(in: 0..<10, using: &generator)
        let cache = memory.cache(for: "\(key)", of: [Int].self, size: \.count)
        switch step % 10 {
        case 0: cache.clear()
        case ..<5: cache.write(Array(repeating: key, count: Int.random(in: 0...3, using: &generator)))
        default: if let numbers = cache.read()?.value { #expect(numbers.allSatisfy { $0 == key }) }
        }
        #expect(memory.size <= 6)
      }
    }
    let kept = (0..<10).compactMap { memory.cache(for: "\($0)", of: [Int].self).read()?.value }
    #expect((memory.count, memory.size) == (kept.count, kept.reduce(0) { $0 + $1.count }))
  }
}
