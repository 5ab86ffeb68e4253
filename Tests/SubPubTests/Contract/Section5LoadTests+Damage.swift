import Foundation
import SubPub
import SubPubTesting
import Testing

// Rule 5.29: data from outside the program.
extension Section5LoadTests {
  typealias Pages = Paged<Int, Int>

  /// The text of a list with two elements and these pages.
  private static func list(_ sizes: String, _ loaded: String) -> String {
    #"{"elements":[0,1],"next":10,"pages":{"sizes":[\#(sizes)],"loaded":\#(loaded)}}"#
  }

  private static func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// Expects an error that says that the data is damaged.
  private func expectDamage<Value: Decodable>(
    _ text: String, in type: Value.Type, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DecodingError.self, "\(text)", sourceLocation: sourceLocation) {
      try Self.decode(text, as: type)
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(text): \(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(words.contains { context.debugDescription.contains($0) }, sourceLocation: sourceLocation)
  }

  static let damagedPages = [
    list("2", "\(Int.max)"), list("2", "\(Int.max / 2 + 1)"), list("2", "-1"), list("2", "0"), list("1,1", "1"),
    list("-2", "1"), list("4,-2", "2"), list("\(Int.max)", "1"), list("\(Int.max),\(Int.max)", "2"),
    list("\(Int.max / 2),1", "2"), list("", "1"), list("", "0"), list("\(Int.min),\(Int.min)", "2"),
  ]

  @Test("a list whose pages are damaged can't be decoded", arguments: damagedPages)
  func required_5_29_pages(text: String) {
    expectDamage(text, in: Pages.self, "can't be a count", "the sizes of the list's pages are damaged")
  }

  @Test("a list whose sizes don't fit its elements, as after edits, is decoded, and goes on")
  func required_5_29_5_08_editedPages() throws {
    let half = Int.max / 2
    for (sizes, loaded) in [("7", 1), ("0,0", 2), ("1,1", 9), ("\(half / 2),\(half / 2)", half - 2)] {
      let cache = TextCache(Self.list(sizes, "\(loaded)"))
      let bench = PageBench(maxPages: 1, options: { $0.cache = cache })
      bench.refreshIfNeeded()
      #expect(bench.publisher.state.value?.elements == [0, 1])
      bench.load(pages: 2)
      #expect(bench.publisher.state.value?.elements.suffix(2) == [20, 21])
      let list = try #require(bench.publisher.state.value)
      #expect(try JSONDecoder().decode(Pages.self, from: JSONEncoder().encode(list)) == list)
    }
  }

  @Test("a damaged list in a cache is reported, and the first page is loaded", arguments: damagedPages)
  func required_5_29_5_12_pagedCache(text: String) {
    let failures = Locked<[CacheFailure.Operation]>([])
    let bench = PageBench(maxPages: 1) { options in
      options.cache = TextCache(text)
      options.cacheFailed = { failure in failures.withLock { $0.append(failure.operation) } }
    }
    bench.refreshIfNeeded()
    #expect((bench.cursors, failures.withLock { $0 }) == ([0], [.read]))
    bench.answer(0)
    bench.load(pages: 1)
    #expect(bench.publisher.state == .loaded(Pages(elements: [10, 11], next: 20)))
  }

  @Test("neither can a negative index, in a change or by itself, nor a reset that is something else as well")
  func required_5_29_6_06_parts() {
    let (row, removal) = (#"{"element":1,"index":-1}"#, #"{"id":1,"index":-1}"#)
    let moves = [#"{"id":1,"from":-1,"to":0}"#, #"{"id":1,"from":0,"to":-1}"#]
    expectDamage(row, in: ListChange<Int, Int>.Row.self, "-1 can't be a count")
    expectDamage(removal, in: ListChange<Int, Int>.Removal.self, "-1 can't be a count")
    for move in moves { expectDamage(move, in: ListChange<Int, Int>.Move.self, "-1 can't be a count") }
    for part in ["inserted", "updated"].map({ ($0, row) }) + [("removed", removal)] + moves.map({ ("moved", $0) }) {
      expectDamage("{\"\(part.0)\":[\(part.1)]}", in: ListChange<Int, Int>.self, "-1 can't be a count")
    }
    expectDamage(
      #"{"reset":[1],"removed":[]}"#, in: ListChange<Int, Int>.self, "the change is a reset, and something else")
    #expect(throws: DecodingError.self) { try Self.decode(#"{"reset":null}"#, as: ListChange<Int, Int>.self) }
  }

  @Test(
    "a change of a list whose indices contradict each other can't be decoded",
    arguments: [
      #"{"inserted":[{"element":1,"index":2},{"element":2,"index":2}]}"#,
      #"{"inserted":[{"element":1,"index":2},{"element":2,"index":1}]}"#,
      #"{"updated":[{"element":1,"index":1},{"element":2,"index":0}]}"#,
      #"{"removed":[{"id":1,"index":3},{"id":2,"index":3}]}"#,
      #"{"moved":[{"id":1,"from":2,"to":0},{"id":2,"from":2,"to":1}]}"#,
      #"{"moved":[{"id":1,"from":2,"to":0}],"removed":[{"id":2,"index":2}]}"#,
      #"{"moved":[{"id":1,"from":2,"to":0}],"inserted":[{"element":2,"index":0}]}"#,
      #"{"inserted":[{"element":1,"index":0}],"updated":[{"element":1,"index":0}]}"#,
    ])
  func required_5_29_6_06_changes(text: String) {
    expectDamage(text, in: ListChange<Int, Int>.self, "the indices of the change are damaged")
  }

  @Test("a snapshot with a count or an age that can't be one can't be decoded")
  func required_5_29_7_04_snapshots() throws {
    let publisher = Publisher<Int>(label: "news", staleAfter: .seconds(60), clock: ManualClock())
    let listener = Recorder<Int>()
    publisher.subscribe(listener, on: .immediate, label: "screen")
    publisher.updateData(1)
    let text = String(decoding: try JSONEncoder().encode(publisher.snapshot()), as: UTF8.self)
    #expect(try Self.decode(text, as: PublisherSnapshot.self) == publisher.snapshot())
    for (count, damaged) in [
      ("delivered", 2), ("skipped", 0), ("pending", 0), ("highWater", 1), ("attempt", 0),
    ].flatMap({ count in [-1, Int.max].map { (count, $0) } }) {
      let good = "\"\(count.0)\":\(count.1)"
      #expect(text.contains(good), "\(text)")
      expectDamage(
        text.replacing(good, with: "\"\(count.0)\":\(damaged)"), in: PublisherSnapshot.self,
        "\(damaged) can't be a count")
    }
    for age in ["-1,0", "\(Int64.max),0"] {
      expectDamage(
        text.replacing(#""age":[0,0]"#, with: #""age":[\#(age)]"#), in: PublisherSnapshot.self, "can't be an age")
    }
  }

  @Test("an age that is too long to be added to counts as a very long one")
  func required_5_29_5_06_ages() async throws {
    let (clock, longest) = (ManualClock(), Duration.seconds(1 << 60))
    let age = try Self.decode("[\(Int64.max),\(UInt64.max)]", as: Duration.self)
    #expect(age > longest)
    #expect(Cached(value: 1, age: age).age == longest)
    let cache = MemoryCache(limit: 1, clock: clock).cache(for: "a", of: Int.self)
    await cache.write(1, age: age)
    clock.advance(by: .seconds(1))
    #expect(cache.read()?.age == longest)
  }

  @Test("an identifier of a client is any text")
  func required_5_29_6_05_identifiers() {
    let digits = String(repeating: "7", count: 100_000)
    for text in [digits, "\(digits)-1", "1-\(digits)", String(repeating: "0", count: 100_000) + "-1", "1-1\0", "−1-1"] {
      #expect(PublicationID(text) == nil)
    }
  }

  @Test("a snapshot keeps the beginning of an error's description")
  func required_5_29_7_04_longErrors() throws {
    struct Long: Error, CustomStringConvertible {
      let description = String(repeating: "wörter", count: 100_000)
    }
    let publisher = Publisher<Int>()
    publisher.setError(Long())
    let text = try #require(publisher.snapshot().error)
    #expect(text.utf8.count <= 4_096)
    #expect(text.hasPrefix("wörterwörter") && text.hasSuffix("… (cut: the text has 700000 bytes)"))
    // Not cut within a character.
    let beginning = text.prefix { $0 != "…" }
    #expect(Long().description.hasPrefix(beginning) && beginning.utf8.count > 4_000)
    // Nor is it longer because of what is escaped, or in the failure of a cache.
    struct Escaped: Error, CustomStringConvertible {
      let description = String(repeating: "\u{1}", count: 100_000)
    }
    publisher.setError(Escaped())
    #expect(publisher.snapshot().description.utf8.count < 5_000)
    for error in [Long(), Escaped()] as [any Error] {
      #expect("\(CacheFailure(operation: .read, reason: error))".utf8.count < 9_000)
    }
  }

  /// A cache that contains a text, which it decodes.
  private struct TextCache: StateCache {
    let text: Locked<String>

    init(_ text: String) { self.text = Locked(text) }

    func read() async throws -> Cached<Pages>? {
      Cached(value: try Section5LoadTests.decode(text.withLock { $0 }), age: .zero)
    }

    func write(_ value: Pages) async throws {
      let data = try JSONEncoder().encode(value)
      text.withLock { $0 = String(decoding: data, as: UTF8.self) }
    }

    func clear() async throws {}
  }
}
