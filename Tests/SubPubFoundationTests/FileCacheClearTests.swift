import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A clear leaves nothing of a write that had begun before it", .timeLimit(.minutes(1)))
struct FileCacheClearTests {
  private let folder: TemporaryFolder
  private let longWay: LongWay
  /// Uses the same file as `TemporaryFolder.file`, by the long way.
  private let slow: FileCache<Int>

  init() throws {
    folder = try TemporaryFolder()
    longWay = try LongWay(to: folder)
    slow = FileCache(file: longWay.url.appending(path: "cache.json"))
  }

  /// Delays that put what follows them before, between and behind the steps of a slow cache.
  private var delays: [Duration] { (0..<160).map { longWay.duration * ($0 % 20) / 4 } }

  private func wait(_ delay: Duration) {
    let end = ContinuousClock.now + delay
    while .now < end {}
  }

  @Test("another process renames its temporary file at any moment of a clear")
  func stochastic_5_10_renameDuringClear() async throws {
    let path = folder.file.path(percentEncoded: false)
    for delay in delays {
      // As a cache of another process does it: takes the lock, makes the temporary file, and renames it.
      let lock = unsafe open(path + ".subpub-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
      try Data("1".utf8).write(to: folder.temporary)
      let clear = Task { try await slow.clear() }
      wait(delay)
      let isRenamed = unsafe rename(path + ".subpub-new", path) == 0
      close(lock)
      try await clear.value
      #expect(isRenamed, "the clear didn't wait for the lock, and removed what was being written")
      #expect(try folder.names == ["cache.json.subpub-lock"], "something is left of a rename \(delay) into the clear")
    }
  }

  @Test("a cache is cleared at any moment of a write of another cache")
  func stochastic_5_10_clearDuringWrite() async throws {
    let other = FileCache<Int>(file: slow.file)
    let path = folder.file.path(percentEncoded: false)
    for (number, delay) in delays.enumerated() {
      let write = Task { try await slow.write(number) }
      // The write has begun: there is its temporary file, or that has its name already.
      let start = ContinuousClock.now
      while unsafe access(path + ".subpub-new", F_OK) != 0 && access(path, F_OK) != 0 {
        try #require(start.duration(to: .now) < .seconds(10), "the write doesn't begin")
      }
      wait(delay)
      try await other.clear()
      try await write.value
      #expect(try folder.names == ["cache.json.subpub-lock"], "something is left of a write \(delay) before the clear")
    }
  }
}
