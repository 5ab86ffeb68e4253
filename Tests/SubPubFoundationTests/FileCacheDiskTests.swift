import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A file takes its name only when the disk has stored it", .hangLimit)
struct FileCacheDiskTests {
  private let folder = TemporaryFolder()

  /// What the disk is asked to store: the names of open files, and the content of the cache's file at that time.
  private struct Disk: Sendable {
    let file: URL
    let requests = Locked<[(name: String, content: String)]>([])
    /// How many requests succeed before one fails.
    let failsAfter: Int

    func synchronize(_ descriptor: Int32) -> Int32 {
      var (opened, named) = (stat(), stat())
      let isOpen = unsafe fstat(descriptor, &opened) == 0
      let paths = [
        file.path(percentEncoded: false) + ".subpub-new", file.deletingLastPathComponent().path(percentEncoded: false),
      ]
      let name = zip(["new", "folder"], paths).first { _, path in
        unsafe isOpen && stat(path, &named) == 0 && named.st_ino == opened.st_ino
      }?.0
      let content = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      let count = requests.withLock { requests in
        requests.append((name ?? "?", content))
        return requests.count
      }
      guard count > failsAfter else { return 0 }
      errno = EIO
      return -1
    }
  }

  private func makeCache(failsAfter count: Int = .max) -> (FileCache<Int>, Disk) {
    let disk = Disk(file: folder.file, failsAfter: count)
    let cache = FileCache<Int>(
      file: folder.file, sizeLimit: 1_000, now: { Date(timeIntervalSince1970: 0) },
      encoder: {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
      }, synchronize: { disk.synchronize($0) })
    return (cache, disk)
  }

  private func content(_ value: Int) -> String {
    #"{"format":"SubPub cache","value":\#(value),"version":1,"written":0}"#
  }

  @Test("the new file is stored before it replaces the old one, and then the folder; so is the removal")
  func required_5_10_5_16_stored() async throws {
    let (cache, disk) = makeCache()
    try await cache.write(1)
    try await cache.write(2)
    try await cache.clear()
    let requests = disk.requests.withLock { $0 }
    #expect(requests.map(\.name) == ["new", "folder", "new", "folder", "folder"])
    #expect(requests.map(\.content) == ["", content(1), content(1), content(2), ""])
  }

  @Test("a file that the disk can't store doesn't replace the old one, and nothing else is left")
  func required_5_10_5_16_notStored() async throws {
    try await makeCache().0.write(1)
    let error = await failure { try await makeCache(failsAfter: 0).0.write(2) }
    guard case .system("sync", _, EIO)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try await makeCache().0.read()?.value == 1)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
    // With the new name, the file is there, even if a power failure could bring back the old one.
    try await makeCache(failsAfter: 1).0.write(3)
    #expect(try await makeCache().0.read()?.value == 3)
    // But a removal that may be undone has failed.
    #expect(await failure { try await makeCache(failsAfter: 0).0.clear() } != nil)
    #expect(try await makeCache().0.read() == nil)
  }
}
