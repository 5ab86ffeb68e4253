import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("What lies in the temporary file's place is gone with the next write", .timeLimit(.minutes(1)))
struct FileCacheLeftoverTests {
  private let folder: TemporaryFolder
  private let cache: FileCache<Int>

  init() throws {
    folder = try TemporaryFolder()
    cache = FileCache(file: folder.file)
  }

  @Test("a leftover of a killed process is neither read nor in the way, and goes with a clear")
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
  }

  @Test("a leftover alone goes with a clear")
  func alone() async throws {
    try Data("half".utf8).write(to: folder.temporary)
    try await cache.clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
  }

  @Test("a leftover that anybody may read makes no file that anybody may read")
  func mode() async throws {
    try Data().write(to: folder.temporary)
    let path = folder.temporary.path(percentEncoded: false)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    try await cache.write(1)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file.path(percentEncoded: false))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  @Test("a link that lies there is replaced, and what it names stays")
  func link() async throws {
    let other = folder.url.appending(path: "other")
    try Data("mine".utf8).write(to: other)
    try FileManager.default.createSymbolicLink(at: folder.temporary, withDestinationURL: other)
    try await cache.write(1)
    #expect(try await cache.read()?.value == 1)
    #expect(try Data(contentsOf: other) == Data("mine".utf8))
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock", "other"])
  }

  @Test("a pipe that lies there is no reason to wait")
  func pipe() async throws {
    let path = folder.temporary.path(percentEncoded: false)
    try #require(unsafe mkfifo(path, 0o600) == 0)
    let end = OtherEnd(of: path)
    await #expect(throws: Never.self) { try await cache.write(1) }
    #expect(!end.end(), "the write waited for a reader")
    #expect(try await cache.read()?.value == 1)
  }

  @Test("a folder that lies there is reported, and stays")
  func directory() async throws {
    try FileManager.default.createDirectory(at: folder.temporary, withIntermediateDirectories: false)
    let error = await #expect(throws: FileCacheError.self) { try await cache.write(1) }
    #expect(error.map { "\($0)".contains("(remove ") } == true)
    #expect(try folder.names == ["cache.json.subpub-lock", "cache.json.subpub-new"])
  }

  @Test("a clear of what isn't there makes nothing, in a folder or without one")
  func clearOfNothing() async throws {
    try await cache.clear()
    #expect(try folder.names == [])
    try await FileCache<Int>(file: folder.url.appending(path: "none/cache.json")).clear()
    #expect(try folder.names == [])
    // Linux lets nobody make a file there.
    try await FileCache<Int>(file: URL(filePath: "/sys/cache.json")).clear()
  }

  @Test("a clear removes a link that leads nowhere")
  func clearOfLink() async throws {
    let none = folder.url.appending(path: "none")
    try FileManager.default.createSymbolicLink(at: folder.file, withDestinationURL: none)
    try await cache.clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
  }
}
