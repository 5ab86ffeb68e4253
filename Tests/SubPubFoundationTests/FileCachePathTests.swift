import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file cache uses the file that its URL names, or stops", .timeLimit(.minutes(1)))
struct FileCachePathTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a URL that names no file stops the program",
    arguments: [
      ("https://example.com/a.json", "which names no file: give a file URL"),
      ("file:///c/a%00b", "whose path no system can have: it is empty, has a NUL, or isn't UTF-8"),
      ("file:///c%00/a", "whose path no system can have: it is empty, has a NUL, or isn't UTF-8"),
      ("file:///c/a%FFb", "whose path no system can have: it is empty, has a NUL, or isn't UTF-8"),
      ("file:", "whose path no system can have: it is empty, has a NUL, or isn't UTF-8"),
      ("file:///c/a/", "which names a folder: give the URL of a file"),
      ("file:///", "which names a folder: give the URL of a file"),
    ])
  func misuse(text: String, reason: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [text = text as String] in
      guard let url = URL(string: text) else { return }
      _ = FileCache<Int>(file: url)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("A FileCache was made with \(text), \(reason)"))
  }

  @Test("an encoded slash is a part of the name, and makes no folder")
  func encodedSlash() async throws {
    let text = folder.url.appending(path: "a").absoluteString
    let cache = FileCache<Int>(file: try #require(URL(string: text + "%2Fb")))
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    #expect(try folder.names == ["a%2Fb", "a%2Fb.subpub-lock"])
    #expect("\(cache)".hasSuffix("/a%2Fb)"))
  }

  @Test(
    "a name that begins with a combining mark has its folder", arguments: ["\u{301}", "\u{20DD}\u{301}", "\u{FE0F}"])
  func combiningMark(mark: String) async throws {
    let file = folder.url.appending(path: "\(mark)folder").appending(path: "\(mark)cache.json")
    try await FileCache<Int>(file: file).write(1)
    #expect(try await FileCache<Int>(file: file).read()?.value == 1)
    try await FileCache<Int>(file: file).clear()
    #expect(try folder.names == ["\(mark)folder"])
  }

  @Test("a relative URL names a file, too")
  func relative() async throws {
    let base = folder.url.appending(path: "", directoryHint: .isDirectory)
    try await FileCache<Int>(file: URL(filePath: "cache.json", relativeTo: base)).write(1)
    #expect(try await FileCache<Int>(file: folder.file).read()?.value == 1)
  }
}
