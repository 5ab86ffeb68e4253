import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file cache takes no more memory than its limit allows", .timeLimit(.minutes(1)))
struct FileCacheLimitTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a file that is larger than any memory is reported, and stays", arguments: [(256 << 20) + 1, 1 << 40])
  func sparse(size: Int) async throws {
    try Data().write(to: folder.file)
    let path = folder.file.path(percentEncoded: false)
    try #require(unsafe truncate(path, off_t(size)) == 0)
    // In a process of its own, which may run out of memory.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let error = await #expect(throws: FileCacheError.self) {
        try await FileCache<Int>(file: URL(filePath: path)).read()
      }
      #expect(error?.reason == .tooLarge(limit: 256 << 20))
      #expect(
        error.map { "\($0)" }
          == "cannot read the cache \(path): it has more than the 268435456 bytes that a cache may have")
    }
    var status = stat()
    #expect(unsafe stat(path, &status) == 0 && Int(status.st_size) == size)
  }

  @Test("a file of as many bytes as the limit is written and read, one byte more is neither")
  func boundary() async throws {
    let text = "as large as may be"
    let free = FileCache<String>(file: folder.file, now: { Date(timeIntervalSince1970: 1) })
    try await free.write(text)
    let size = try Data(contentsOf: folder.file).count
    func cache(_ limit: Int) -> FileCache<String> {
      FileCache(file: folder.file, sizeLimit: limit, now: { Date(timeIntervalSince1970: 1) })
    }
    #expect(try await cache(size).read()?.value == text)
    try await cache(size).write(text)
    let reading = await #expect(throws: FileCacheError.self) { try await cache(size - 1).read() }
    #expect(reading?.reason == .tooLarge(limit: size - 1))
    let writing = await #expect(throws: FileCacheError.self) { try await cache(size).write(text + "!") }
    #expect(writing?.reason == .tooLarge(limit: size))
    #expect(try await free.read()?.value == text, "the value before stays")
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
  }
}
