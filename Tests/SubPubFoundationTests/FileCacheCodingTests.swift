import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("The user of a file cache says how values are coded", .timeLimit(.minutes(1)))
struct FileCacheCodingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("by default a date is written as seconds since 2001")
  func dates() async throws {
    let cache = FileCache<[Date]>(file: folder.file, now: { Date(timeIntervalSince1970: 1) })
    try await cache.write([Date(timeIntervalSinceReferenceDate: 1.5)])
    let text = try String(contentsOf: folder.file, encoding: .utf8)
    #expect(text == #"{"format":"SubPub cache","value":[1.5],"version":1,"written":1}"#)
  }

  @Test("an encoder and a decoder are made for each operation, and code the value")
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
    let other = await #expect(throws: FileCacheError.self) { try await FileCache<[Double]>(file: folder.file).read() }
    guard case .undecodable? = other?.reason else {
      Issue.record("\(String(describing: other))")
      return
    }
  }
}
