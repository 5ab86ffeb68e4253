import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file cache uses the file that its URL names, and never that of another cache", .hangLimit)
struct FileCacheNameTests {
  private let folder = TemporaryFolder()

  private func cache(_ name: String) -> FileCache<Int> { FileCache(file: folder.url.appending(path: name)) }

  @Test("caches with similar names keep their values, whatever the others write and clear")
  func required_5_10_neighbors() async throws {
    let names = [
      "news", "news.new", "news.lock", "news.new.lock", "news.new.new", "news.subpub", "news.subpub-news",
      "news.subpub-new.json", "news-subpub-new", "subpub-lock", "folder.subpub-lock/news",
    ]
    let caches = names.map(cache)
    for (number, cache) in caches.enumerated() {
      #expect(try await cache.read() == nil, "\(names[number]) has no value yet")
      try await cache.write(number)
    }
    // Again in the opposite order, now that every file exists.
    for (number, cache) in caches.enumerated().reversed() { try await cache.write(number) }
    for (number, cache) in caches.enumerated() {
      for (other, neighbor) in caches.enumerated() {
        #expect(
          try await neighbor.read()?.value == (other < number ? nil : other),
          "\(names[other]), after those before \(names[number]) were cleared")
      }
      try await cache.clear()
    }
  }

  /// Names that could be those of the temporary file or the lock of another cache.
  static let reserved = [
    ("news.subpub-new", ".subpub-new"), ("news.subpub-lock", ".subpub-lock"), (".subpub-new", ".subpub-new"),
    ("news.subpub-lock.subpub-new", ".subpub-new"), ("news.subpub%2Dnew", ".subpub-new"),
    // The same name on a file system that ignores case.
    ("news.SubPub-New", ".subpub-new"), ("news.SUBPUB-LOCK", ".subpub-lock"), ("news.%C5%BFubpub-new", ".subpub-new"),
    // The Kelvin sign, which is canonically equivalent to a K, and a wide letter.
    ("news.subpub-loc%E2%84%AA", ".subpub-lock"), ("news.subpub-%EF%BD%8Eew", ".subpub-new"),
    // Characters that some file systems ignore or remove.
    ("news.sub%E2%80%8Dpub-new", ".subpub-new"), ("news.subpub-lock.%20.", ".subpub-lock"),
    // A scalar that forms one character with the following period.
    ("news%D8%80.subpub-new", ".subpub-new"),
  ].map { name, suffix in
    (
      "file:///c/" + name,
      "whose name ends with \(suffix), a suffix reserved for files that belong to another cache: "
        + "choose a name without it"
    )
  }

  static let noFiles = [
    ("https://example.com/a.json", "which names no file: give a file URL"),
    ("file:///c/a%00b", "whose path is invalid: it is empty, contains a NUL, or isn't UTF-8"),
    ("file:///c%00/a", "whose path is invalid: it is empty, contains a NUL, or isn't UTF-8"),
    ("file:///c/a%FFb", "whose path is invalid: it is empty, contains a NUL, or isn't UTF-8"),
    ("file:", "whose path is invalid: it is empty, contains a NUL, or isn't UTF-8"),
    ("file:///c/a/", "which names a folder: give the URL of a file"),
    ("file:///", "which names a folder: give the URL of a file"),
  ]

  @Test(
    "a URL that names no file, or could name a file of another cache, stops the program",
    arguments: FileCacheNameTests.reserved + FileCacheNameTests.noFiles)
  func required_5_10_reserved(text: String, reason: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [text = text as String] in
      guard let url = URL(string: text) else { return }
      _ = FileCache<Int>(file: url)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("A FileCache was made with \(text), \(reason)"))
  }

  @Test("a name that leaves no room for the suffixes is reported, and one that is a byte shorter works")
  func required_5_10_longNames() async throws {
    let limit = unsafe pathconf(folder.url.path(percentEncoded: false), Int32(_PC_NAME_MAX))
    try #require(limit > 20)
    let longest = cache(String(repeating: "n", count: limit - 12))
    try await longest.write(1)
    #expect(try await longest.read()?.value == 1)
    try await longest.clear()
    #expect(try await longest.read() == nil)
    let before = try folder.names
    for length in limit - 11...limit {
      let cache = cache(String(repeating: "n", count: length))
      let error = await failure { try await cache.write(1) }
      let lock = cache.file.path(percentEncoded: false) + ".subpub-lock"
      #expect(error?.reason == .system(attempt: "open", path: lock, code: ENAMETOOLONG))
      #expect(error.map { "\($0)".lowercased().contains("file name too long (open ") } == true)
      #expect(try await cache.read() == nil)
    }
    #expect(try folder.names == before, "no file is made")
  }

  @Test("an encoded slash is a part of the name and makes no folder, and the description shows the system's path")
  func encodedSlash() async throws {
    let text = folder.url.appending(path: "my a").absoluteString
    let cache = FileCache<Int>(file: try #require(URL(string: text + "%2Fb")))
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    #expect(try folder.names == ["my a%2Fb", "my a%2Fb.subpub-lock"])
    #expect("\(cache)" == "FileCache<Int>(\(folder.url.path(percentEncoded: false))/my a%2Fb)")
  }

  @Test("a line break in a name breaks no line of a description or a message", arguments: ["\n", "\r\n", "\u{2028}"])
  func lineBreak(end: String) async throws {
    let cache = FileCache<Int>(file: folder.url.appending(path: "a\(end)b"))
    #expect("\(cache)".unicodeScalars.allSatisfy { !$0.properties.isWhitespace })
    try FileManager.default.createDirectory(at: cache.file, withIntermediateDirectories: false)
    let error = await failure { try await cache.read() }
    let shown = end.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    #expect(error.map { "\($0)".contains("/a\(shown)b: ") } == true)
  }

  @Test("a combining mark keeps a name in its folder", arguments: ["\u{301}", "\u{20DD}\u{301}", "\u{FE0F}"])
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
