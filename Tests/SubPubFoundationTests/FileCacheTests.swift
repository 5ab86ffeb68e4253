import Foundation
import SubPub
import SubPubFoundation
import SubPubTesting
import Testing

@Suite("A file cache keeps a value for the next start", .timeLimit(.minutes(1)))
struct FileCacheTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("what one cache writes, another reads, and finds nothing after a clear")
  func roundTrip() async throws {
    let first: any StateCache<Album> = FileCache(file: folder.file)
    let second = FileCache<Album>(file: folder.file)
    #expect(try await second.read() == nil)
    #expect(try folder.names == [], "a read makes no file")
    try await first.write(Album())
    #expect(try await second.read()?.value == Album())
    try await first.write(Album(title: "other"))
    #expect(try await second.read()?.value == Album(title: "other"))
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
    try await second.clear()
    #expect(try await first.read() == nil)
    #expect(try folder.names == ["cache.json.subpub-lock"])
    try await second.clear()
  }

  @Test("values that aren't objects, nil too")
  func plainValues() async throws {
    let numbers = FileCache<Int>(file: folder.file)
    try await numbers.write(-7)
    #expect(try await numbers.read()?.value == -7)
    let maybe = FileCache<Int?>(file: folder.file)
    try await maybe.write(nil)
    let read = try #require(try await maybe.read())
    #expect(read.value == nil)
    let lists = FileCache<[Date]>(file: folder.file)
    try await lists.write([Date(timeIntervalSince1970: 1.25)])
    #expect(try await lists.read()?.value == [Date(timeIntervalSince1970: 1.25)])
  }

  @Test("a value of many megabytes")
  func large() async throws {
    let cache = FileCache<[Int]>(file: folder.file)
    let numbers: [Int] = (0..<1_000_000).map { $0 &* 0x9E37_79B9 }
    try await cache.write(numbers)
    #expect(try await cache.read()?.value == numbers)
    try await cache.write([1])
    #expect(try await cache.read()?.value == [1], "nothing is left of the longer one")
  }

  @Test("the age is told by the clock of the day, from one cache to another; one that was set back says zero")
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
  }

  @Test("by default that clock is the system's")
  func systemClock() async throws {
    try await FileCache<Int>(file: folder.file, now: { Date() - 3_600 }).write(1)
    let age = try #require(try await FileCache<Int>(file: folder.file).read()).age
    #expect(age >= .seconds(3_599) && age < .seconds(7_000))
  }

  @Test(
    "any time that a file may name makes an age, and no crash", arguments: ["1e308", "-1e308", "0", "-5.5", "1e19"])
  func strangeTimes(written: String) async throws {
    let text = #"{"format":"SubPub cache","version":1,"written":\#(written),"value":3}"#
    try Data(text.utf8).write(to: folder.file)
    let read = try #require(try await FileCache<Int>(file: folder.file).read())
    #expect(read.value == 3)
    #expect(read.age >= .zero)
    Publisher<Int>(staleAfter: .seconds(1)).updateData(3, age: read.age)
  }

  @Test("the file is JSON, as documented")
  func format() async throws {
    try await FileCache<[Int]>(file: folder.file, now: { Date(timeIntervalSince1970: 12.5) }).write([1, 2])
    let text = try String(contentsOf: folder.file, encoding: .utf8)
    #expect(text == #"{"format":"SubPub cache","value":[1,2],"version":1,"written":12.5}"#)
  }

  @Test("the files are for their owner only, and so are the folders that a write makes")
  func modes() async throws {
    let inner = folder.url.appending(path: "a/b/c d")
    let file = inner.appending(path: "cache.json")
    let cache = FileCache<Int>(file: file)
    #expect(try await cache.read() == nil)
    try await cache.clear()
    #expect(try folder.names == [], "only a write makes folders")
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    func mode(_ url: URL) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
      return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    for name in ["cache.json", "cache.json.subpub-lock"] { #expect(try mode(inner.appending(path: name)) == 0o600) }
    for path in ["a", "a/b", "a/b/c d"] { #expect(try mode(folder.url.appending(path: path)) == 0o700) }
  }

  @Test("a description names the type and the file")
  func description() {
    let cache = FileCache<Int>(file: URL(filePath: "/home/me/numbers of mine.json"))
    #expect("\(cache)" == "FileCache<Int>(/home/me/numbers of mine.json)")
  }
}
