import Foundation
import SubPub
import SubPubFoundation
import Testing

/// A value with every kind of JSON value in it.
struct MixedValue: Codable, Equatable, Sendable {
  var title = "Blåbær \"/\\\u{0}\u{1F353}"
  var tracks = ["one", ""]
  var rating: Double? = 4.5
  var label: String?
  var sold = [Int.min, 0, Int.max]
  var isOut = true
}

@Suite("A file cache keeps a value for the next start of the program", .hangLimit)
struct FileCacheTests {
  private let folder = TemporaryFolder()

  @Test("another cache for the same file reads what one has written, and nothing after a clear")
  func roundTrip() async throws {
    let first: any StateCache<MixedValue> = FileCache(file: folder.file)
    let second = FileCache<MixedValue>(file: folder.file)
    #expect(try await second.read() == nil)
    #expect(try folder.names == [], "a read creates no file")
    try await first.write(MixedValue())
    #expect(try await second.read()?.value == MixedValue())
    try await first.write(MixedValue(title: "other"))
    #expect(try await second.read()?.value == MixedValue(title: "other"))
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
    try await second.clear()
    #expect(try await first.read() == nil)
    #expect(try folder.names == ["cache.json.subpub-lock"])
    try await second.clear()
  }

  @Test("a value needn't be a JSON object, and can be nil")
  func plainValues() async throws {
    func check<Value: Codable & Equatable & Sendable>(_ value: Value) async throws {
      let cache = FileCache<Value>(file: folder.file)
      try await cache.write(value)
      #expect(try await cache.read()?.value == .some(value))
    }
    try await check(-7)
    try await check(Int?.none)
    try await check([Date(timeIntervalSince1970: 1.25)])
  }

  @Test("a value can be many megabytes large")
  func large() async throws {
    let cache = FileCache<[Int]>(file: folder.file)
    let numbers: [Int] = (0..<1_000_000).map { $0 &* 0x9E37_79B9 }
    try await cache.write(numbers)
    #expect(try await cache.read()?.value == numbers)
    try await cache.write([1])
    #expect(try await cache.read()?.value == [1], "nothing is left of the longer value")
  }

  @Test("the age is the time since the write by the system's clock, and zero if that was set back")
  func age() async throws {
    let time = Locked(Date(timeIntervalSince1970: 1_000_000))
    let now = { @Sendable in time.withLock { $0 } }
    try await FileCache<Int>(file: folder.file, now: now).write(1)
    let cache = FileCache<Int>(file: folder.file, now: now)
    #expect(try await cache.read() == Cached(value: 1, age: .zero))
    time.withLock { $0 += 90.5 }
    #expect(try await cache.read() == Cached(value: 1, age: .seconds(90.5)))
    time.withLock { $0 -= 1_000 }
    #expect(try await cache.read() == Cached(value: 1, age: .zero))
    try await cache.write(2)
    time.withLock { $0 += 3 }
    #expect(try await cache.read() == Cached(value: 2, age: .seconds(3)))

    try await FileCache<Int>(file: folder.file, now: { Date() - 3_600 }).write(1)
    let age = try #require(try await FileCache<Int>(file: folder.file).read()).age
    #expect(age >= .seconds(3_599) && age < .seconds(7_000))
  }

  @Test("a value keeps the age that it is written with")
  func required_5_06_writtenAge() async throws {
    let time = Locked(Date(timeIntervalSince1970: 1_000_000))
    let cache: any StateCache<Int> = FileCache<Int>(file: folder.file, now: { time.withLock { $0 } })
    try await cache.write(1, age: .seconds(90.5))
    #expect(try await cache.read() == Cached(value: 1, age: .seconds(90.5)))
    time.withLock { $0 += 3 }
    #expect(try await cache.read() == Cached(value: 1, age: .seconds(93.5)))
    try await cache.write(2, age: .seconds(-5))
    #expect(try await cache.read() == Cached(value: 2, age: .zero))
  }

  @Test(
    "any time that a clock can show results in an age, without a crash",
    arguments: ["-1e308", "-1e19", "0", "-5.5", "9e9", "253402300799"])
  func strangeTimes(written: String) async throws {
    let text = #"{"format":"SubPub cache","version":1,"written":\#(written),"value":3}"#
    try Data(text.utf8).write(to: folder.file)
    let read = try #require(try await FileCache<Int>(file: folder.file).read())
    #expect(read.value == 3)
    // Whoever gets it may count it in nanoseconds.
    #expect((.zero ... .nanoseconds(Int64.max)).contains(read.age))
    Publisher<Int>(staleAfter: .seconds(1)).updateData(3, age: read.age)
  }

  @Test("the file is JSON as documented, and a date is written as seconds since 2001 by default")
  func format() async throws {
    let cache = FileCache<[Date]>(file: folder.file, now: { Date(timeIntervalSince1970: 12.5) })
    try await cache.write([Date(timeIntervalSinceReferenceDate: 1.5)])
    let text = try String(contentsOf: folder.file, encoding: .utf8)
    #expect(text == #"{"format":"SubPub cache","value":[1.5],"version":1,"written":12.5}"#)
  }

  @Test("the user's encoder and decoder are made for each operation, and code the value")
  func strategies() async throws {
    let made = Locked((encoders: 0, decoders: 0))
    let cache = FileCache<[Double]>(
      file: folder.file,
      encoder: {
        made.withLock { $0.encoders += 1 }
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
      },
      decoder: {
        made.withLock { $0.decoders += 1 }
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
          positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
      })
    #expect(try await cache.read() == nil)
    #expect(made.withLock { $0 } == (0, 0))
    for _ in 0..<2 {
      try await cache.write([1, .infinity])
      #expect(try await cache.read()?.value == [1, .infinity])
    }
    #expect(made.withLock { $0 } == (2, 2))
    let other = await failure { try await FileCache<[Double]>(file: folder.file).read() }
    #expect(other?.reason.isUndecodable == true)
  }

  @Test("only their owner can read the files and folders that a write creates")
  func modes() async throws {
    let inner = folder.url.appending(path: "a/b/c d")
    let cache = FileCache<Int>(file: inner.appending(path: "cache.json"))
    #expect(try await cache.read() == nil)
    try await cache.clear()
    #expect(try folder.names == [], "only a write creates folders")
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    for name in ["cache.json", "cache.json.subpub-lock"] { #expect(try inner.appending(path: name).mode == 0o600) }
    for path in ["a", "a/b", "a/b/c d"] { #expect(try folder.url.appending(path: path).mode == 0o700) }
  }
}
