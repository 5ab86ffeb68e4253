import Dispatch
import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A clear leaves nothing of a write that had begun before it", .serialized, .timeLimit(.minutes(2)))
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

  @Test("another process renames its temporary file at any moment of a clear")
  func stochastic_5_10_renameDuringClear() async throws {
    try await withTaskExecutorPreference(QueueExecutor(label: "race")) { try await raceRenames() }
  }

  /// On a thread of its own: it blocks, and the pool's few threads are for the caches.
  @concurrent private func raceRenames() async throws {
    let path = folder.file.path(percentEncoded: false)
    // Many at a time: at most moments one of them is between its two looks.
    let caches = (0..<16).map { _ in FileCache<Int>(file: slow.file) }
    for round in 0..<60 {
      // As a cache of another process does it: takes the lock, makes the temporary file, and renames it.
      let lock = unsafe open(path + ".subpub-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(lock >= 0 && flock(lock, LOCK_EX) == 0)
      try Data("1".utf8).write(to: folder.temporary)
      let early = Returns()
      let clears = caches.map { cache in
        Task {
          try await cache.clear()
          early.note()
        }
      }
      early.wait(atMost: longWay.duration * (round % 20))
      let isRenamed = unsafe rename(path + ".subpub-new", path) == 0
      // As long as a clear that goes wrong may need.
      early.wait(atMost: .milliseconds(25))
      #expect(early.end() == 0, "a clear returned before it could remove anything")
      close(lock)
      for clear in clears { try await clear.value }
      #expect(isRenamed, "a clear removed what was being written, and didn't wait for the lock")
      #expect(try folder.names == ["cache.json.subpub-lock"])
    }
  }

  @Test("a cache is cleared at any moment of a write of another cache")
  func stochastic_5_10_clearDuringWrite() async throws {
    try await withTaskExecutorPreference(QueueExecutor(label: "race")) { try await raceClears() }
  }

  @concurrent private func raceClears() async throws {
    let other = FileCache<Int>(file: slow.file)
    let path = folder.file.path(percentEncoded: false)
    for number in 0..<100 {
      let write = Task { try await slow.write(number) }
      // The write has begun: there is its temporary file, or that has its name already.
      let start = ContinuousClock.now
      while unsafe access(path + ".subpub-new", F_OK) != 0 && access(path, F_OK) != 0 {
        try #require(start.duration(to: .now) < .seconds(60), "the write doesn't begin")
        // The write needs a processor, too.
        sched_yield()
      }
      let end = ContinuousClock.now + longWay.duration * (number % 20) / 4
      while .now < end {}
      try await other.clear()
      try await write.value
      #expect(try folder.names == ["cache.json.subpub-lock"])
    }
  }
}

/// Counts those that return, until the end.
private final class Returns: Sendable {
  private let first = DispatchSemaphore(value: 0)
  private let count: Locked<Int?> = Locked(0)

  func note() {
    count.withLock { $0 = $0.map { $0 + 1 } }
    first.signal()
  }

  /// Until something returns; not longer than that.
  func wait(atMost limit: Duration) { _ = first.wait(timeout: .now() + .nanoseconds(Int(limit / .nanoseconds(1)))) }

  /// How many have returned. Nothing counts from now on.
  func end() -> Int? {
    count.withLock { count in
      defer { count = nil }
      return count
    }
  }
}
