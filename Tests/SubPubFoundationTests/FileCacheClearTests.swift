import Dispatch
import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("A clear leaves nothing of a write that began before it", .serialized, .hangLimit)
struct FileCacheClearTests {
  private let folder = TemporaryFolder()

  @Test("another process can rename its temporary file at any moment of a clear")
  func stochastic_5_10_renameDuringClear() async throws {
    // On a thread of its own, because it blocks and the caches need the threads of the pool.
    try await Task(executorPreference: QueueExecutor(label: "race")) {
      let (path, slowPath) = (folder.file.path(percentEncoded: false), try SlowPath(to: folder))
      // With many caches, at almost any moment one of them is between two steps.
      let caches = (0..<16).map { _ in FileCache<Int>(file: slowPath.url.appending(path: "cache.json")) }
      for round in 0..<TestRounds.of(20, full: 60) {
        // Does what a cache of another process does: takes the lock, makes the temporary file, and renames it.
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
        early.wait(atMost: slowPath.duration * (round % 20))
        let isRenamed = unsafe rename(path + ".subpub-new", path) == 0
        // Enough time for a clear that doesn't wait for the lock to return.
        early.wait(atMost: .milliseconds(25))
        #expect(early.count == 0, "a clear returned before it could remove anything")
        close(lock)
        for clear in clears { try await clear.value }
        #expect(isRenamed, "a clear removed the temporary file without waiting for the lock")
        #expect(try folder.names == ["cache.json.subpub-lock"])
      }
    }.value
  }
}

/// Counts calls that return.
private final class Returns: Sendable {
  private let first = DispatchSemaphore(value: 0)
  private let counted = Locked(0)

  var count: Int { counted.withLock { $0 } }

  func note() {
    counted.withLock { $0 += 1 }
    first.signal()
  }

  /// Waits until a call returns or the time is over.
  func wait(atMost limit: Duration) { _ = first.wait(timeout: .now() + .nanoseconds(Int(limit / .nanoseconds(1)))) }
}

/// A path to a folder that the system needs many microseconds to follow.
///
/// Each step of a cache that uses this path takes as long, which leaves time for other things to happen between steps.
private struct SlowPath {
  let url: URL
  /// How long the system needs to follow the path.
  let duration: Duration

  private let links = TemporaryFolder()

  init(to folder: TemporaryFolder) throws {
    // Links to links, each with many steps that stay where they are. Darwin follows at most 32 links in one path. Linux
    // follows 40, and counts those of up to three attempts together: it begins again when something is renamed
    // meanwhile. Some file systems limit links to 1,024 bytes.
    let steps = 400
    var target = folder.url.path(percentEncoded: false) + String(repeating: "/.", count: steps)
    for number in 0..<13 {
      let link = links.url.appending(path: "\(number)").path(percentEncoded: false)
      try #require(unsafe symlink(target, link) == 0)
      target = String(repeating: "./", count: steps) + "\(number)"
    }
    let url = links.url.appending(path: "12")
    let path = url.appending(path: "none").path(percentEncoded: false)
    let durations = (0..<5).map { _ in ContinuousClock().measure { _ = unsafe access(path, F_OK) } }
    self.url = url
    duration = try #require(durations.min())
  }
}
