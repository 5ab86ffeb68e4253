import SubPub
import Testing

extension MisuseTests {
  @Suite("A memory cache that can't be stops the program")
  struct MemoryCacheMisuseTests {
    @Test("without room", arguments: [0, -1, Int.min])
    func limit(limit: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [limit] in
        _ = MemoryCache(limit: limit)
      }
      #expect(message(result).contains("the limit \(limit), and would keep nothing: give 1 or more"))
    }

    @Test("a value smaller than nothing")
    func size() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        MemoryCache(limit: 5).cache(for: "news", of: Int.self, size: { $0 }).write(-3)
      }
      #expect(message(result).contains("The size of a value for the key \"news\" of a MemoryCache is -3"))
    }

    @Test("one key for two types, while there is a cache for it")
    func type() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let memory = MemoryCache(limit: 5)
        let numbers = memory.cache(for: "news", of: Int.self)
        _ = memory.cache(for: "news", of: [String].self)
        numbers.clear()
      }
      #expect(
        message(result).contains(
          "The key \"news\" of a MemoryCache was asked for with the value type Array<String>, but its type is Int"))
    }

    @Test("one key for two types, while there is a value under it")
    func typeOfValue() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let memory = MemoryCache(limit: 5)
        memory.cache(for: "news").write("one")
        _ = memory.cache(for: "news", of: Int.self)
      }
      #expect(message(result).contains("with the value type Int, but its type is String"))
    }
  }
}
