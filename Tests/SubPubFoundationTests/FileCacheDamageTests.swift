import Foundation
import SubPub
import SubPubFoundation
import SubPubTesting
import Testing

@Suite("What a file cache reads is checked", .hangLimit)
struct FileCacheDamageTests {
  private let folder = TemporaryFolder()

  /// Writes a file with a time and a value.
  private func write(_ written: String = "1", _ value: String) throws {
    let text = #"{"format":"SubPub cache","version":1,"written":\#(written),"value":\#(value)}"#
    try Data(text.utf8).write(to: folder.file)
  }

  @Test(
    "a time that no clock shows is damage",
    arguments: ["1e308", "1e19", "253402300800", #""nan""#, #""inf""#])
  func required_5_29_time(written: String) async throws {
    try write(written, "3")
    let cache = FileCache<Int>(
      file: folder.file,
      decoder: {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
          positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
      })
    let reason = await failure { try await cache.read() }?.reason
    #expect(reason?.isDamaged == true, "\(String(describing: reason))")
    #expect(reason?.description.contains("it claims to have been written") == true)
    let failures = Locked<[CacheFailure.Operation]>([])
    let manager = LoadingManager<Int>(
      cache: cache, cacheFailed: { failure in failures.withLock { $0.append(failure.operation) } }
    ) { 7 }
    #expect(try await manager.value() == 7)
    await manager.waitForCache()
    #expect(failures.withLock { $0 } == [.read])
    #expect(try await cache.read()?.value == 7)
  }

  /// A value whose errors describe all of it.
  struct Talkative: Codable, Sendable {
    struct Complaint: Error, CustomStringConvertible { let description: String }

    var text = String(repeating: "x", count: 1 << 20)

    init() {}
    init(from decoder: any Decoder) throws {
      throw Complaint(description: try decoder.singleValueContainer().decode(String.self))
    }
    func encode(to encoder: any Encoder) throws { throw Complaint(description: text) }
  }

  @Test("an error keeps the beginning of a long description")
  func required_5_29_descriptions() async throws {
    let cache = FileCache<Talkative>(file: folder.file)
    let writing = await failure { try await cache.write(Talkative()) }
    #expect(writing?.reason.isUnencodable == true)
    try write("1", "\"\(String(repeating: "x", count: 1 << 20))\"")
    let reading = await failure { try await cache.read() }
    #expect(reading?.reason.isUndecodable == true)
    for error in [writing, reading] {
      let text = try #require(error.map { "\($0)" })
      #expect(text.utf8.count < 4_500 && text.hasSuffix("xx… (cut: the text has 1048576 bytes)"))
    }
  }
}
