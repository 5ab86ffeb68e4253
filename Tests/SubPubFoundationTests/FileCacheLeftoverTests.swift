import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file cache replaces what a killed process has left in place of its temporary file", .hangLimit)
struct FileCacheLeftoverTests {
  private let folder = TemporaryFolder()
  private var cache: FileCache<Int> { FileCache(file: folder.file) }

  @Test("a leftover isn't read, doesn't prevent a write, and is removed by a clear")
  func leftover() async throws {
    try Data(repeating: 65, count: 10_000).write(to: folder.temporary)
    #expect(try await cache.read() == nil)
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
    try Data(#"{"format":"SubPub cache","#.utf8).write(to: folder.temporary)
    #expect(try await cache.read()?.value == 1)
    try await cache.clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
    // Even without a cache file.
    try Data("half".utf8).write(to: folder.temporary)
    try await cache.clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
  }

  @Test("a leftover that everyone can read doesn't become a cache that everyone can read")
  func mode() async throws {
    try Data().write(to: folder.temporary)
    try #require(unsafe chmod(folder.temporary.path(percentEncoded: false), 0o666) == 0)
    try await cache.write(1)
    #expect(try folder.file.mode == 0o600)
  }

  @Test("a symbolic link is replaced, and its target is left alone")
  func link() async throws {
    let other = folder.url.appending(path: "other")
    try Data("mine".utf8).write(to: other)
    try FileManager.default.createSymbolicLink(at: folder.temporary, withDestinationURL: other)
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    #expect(try Data(contentsOf: other) == Data("mine".utf8))
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock", "other"])
  }

  @Test("a pipe is replaced without waiting for a reader")
  func pipe() async throws {
    try await folder.withPipe(at: folder.temporary) { try await cache.write(1) }
    #expect(try await cache.read()?.value == 1)
  }

  @Test("a folder is reported and left alone")
  func directory() async throws {
    try FileManager.default.createDirectory(at: folder.temporary, withIntermediateDirectories: false)
    let error = await failure { try await cache.write(1) }
    #expect(error.map { "\($0)".contains("(remove ") } == true)
    #expect(try folder.names == ["cache.json.subpub-lock", "cache.json.subpub-new"])
  }

  @Test("a clear of nothing creates no file")
  func clearOfNothing() async throws {
    try await cache.clear()
    #expect(try folder.names == [])
    // Linux rejects new files there.
    try await FileCache<Int>(file: URL(filePath: "/sys/cache.json")).clear()
  }

  @Test("a clear removes a symbolic link without a target")
  func clearOfLink() async throws {
    let none = folder.url.appending(path: "none")
    try FileManager.default.createSymbolicLink(at: folder.file, withDestinationURL: none)
    try await cache.clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
  }
}
