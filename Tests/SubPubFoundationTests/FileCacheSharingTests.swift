import Foundation
import SubPub
import SubPubFoundation
import Testing

@Suite("Several file caches may use one file", .timeLimit(.minutes(2)))
struct FileCacheSharingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("operations of one cache that are begun one after the other take effect in that order")
  func order() async throws {
    let cache = FileCache<Int>(file: folder.file)
    for number in 0..<20 {
      try await cache.write(number)
      #expect(try await cache.read()?.value == number)
    }
  }

  @Test("5.10: the caches of one file share one queue of operations")
  func required_5_10_identity() throws {
    let (url, folder) = (folder.file, folder.file.deletingLastPathComponent())
    let cache = FileCache<Int>(file: url)
    #expect(cache.identity != nil)
    #expect(FileCache<Int>(file: url).identity == cache.identity)
    // Equal as strings, and two files.
    let names = ["caf\u{E9}.json", "cafe\u{301}.json"].map { FileCache<Int>(file: folder.appending(path: $0)).identity }
    #expect(names[0] != names[1])
    #expect(FileCache<Int>(file: folder.appendingPathComponent("other.json")).identity != cache.identity)
  }

  @Test(
    "two caches, eight tasks: each read finds a whole value that somebody wrote, and what a writer wrote before is gone"
  )
  func stochastic_tasks() async throws {
    let caches = [FileCache<Edition>(file: folder.file), FileCache<Edition>(file: folder.file)]
    try await caches[0].write(Edition(writer: 0, number: 0))
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        let cache = caches[task % 2]
        group.addTask {
          for number in 1...60 {
            if task < 4 {
              try await cache.write(Edition(writer: task, number: number))
              // Whatever is there now came at that write or after it.
              let found = try #require(try await cache.read()?.value)
              #expect(found.isWhole && (found.writer != task || found.number == number))
            } else {
              let found = try #require(try await cache.read()?.value)
              #expect(found.isWhole && (0..<4).contains(found.writer))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await caches[1].read()?.value.number == 60)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
  }

  @Test("writes, reads and clears at a time: a read finds a whole value or none")
  func stochastic_clears() async throws {
    let file = folder.file
    try await withThrowingTaskGroup { group in
      for task in 0..<6 {
        group.addTask {
          let cache = FileCache<Edition>(file: file)
          for number in 1...60 {
            switch task {
            case 0, 1: try await cache.write(Edition(writer: task, number: number))
            case 2: try await cache.clear()
            default: if let found = try await cache.read() { #expect(found.value.isWhole) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await FileCache<Edition>(file: file).clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
  }

  @Test("two processes that write and read: what is read is whole, and of one of them")
  func stochastic_processes() async throws {
    let path = folder.file.path(percentEncoded: false)
    try await FileCache<Edition>(file: folder.file).write(Edition(writer: 0, number: 0))
    let isOver = Locked(false)
    // On a thread of its own: an exit test blocks one of the pool, and there may be several at a time.
    let other = Task(executorPreference: QueueExecutor(label: "this process")) {
      let cache = FileCache<Edition>(file: URL(filePath: path))
      var (met, number) = (0, 0)
      while met < 50, !isOver.withLock({ $0 }) {
        let found = try #require(try await cache.read()?.value)
        #expect(found.isWhole && (0...1).contains(found.writer))
        met += found.writer
        number += 1
        if number % 4 == 0 { try await cache.write(Edition(writer: 0, number: number)) }
      }
      try Data().write(to: Self.end(path))
      return met
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await Self.publish(path, writer: 1)
    }
    isOver.withLock { $0 = true }
    #expect(try await other.value == 50)
    #expect(try folder.names == ["cache.json", "cache.json.subpub-lock", "end"])
  }

  /// A file that tells the other process to end.
  private static func end(_ path: String) -> URL {
    URL(filePath: path).deletingLastPathComponent().appending(path: "end")
  }

  /// In a process of its own: writes and reads until it is told to end.
  private static func publish(_ path: String, writer: Int) async throws {
    let cache = FileCache<Edition>(file: URL(filePath: path))
    let start = ContinuousClock.now
    var number = 0
    while !FileManager.default.fileExists(atPath: end(path).path(percentEncoded: false)) {
      try #require(start.duration(to: .now) < .seconds(30))
      number += 1
      try await cache.write(Edition(writer: writer, number: number))
      let found = try #require(try await cache.read()?.value)
      #expect(found.isWhole && (found.writer != writer || found.number == number))
    }
  }

  @Test("a process that is killed while it writes leaves a whole value, and holds nobody up")
  func stochastic_killed() async throws {
    let path = folder.file.path(percentEncoded: false)
    let cache = FileCache<Edition>(file: folder.file)
    try await cache.write(Edition(writer: 0, number: 49))
    var leftovers = 0
    var round = 0
    while round < 5 || (leftovers == 0 && round < 100) {
      round += 1
      let result = await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
        // Kills the process as soon as there is something half written.
        Thread.detachNewThread {
          while unsafe access(path + ".subpub-new", F_OK) != 0 {}
          kill(getpid(), SIGKILL)
        }
        let cache = FileCache<Edition>(file: URL(filePath: path))
        for number in 0..<2_000 { try await cache.write(Edition(writer: round, number: number)) }
      }
      if result == nil { return }
      if try folder.names.contains("cache.json.subpub-new") { leftovers += 1 }
      #expect(try await cache.read()?.value.isWhole == true)
      // The lock went with the process, and what it left behind is no hindrance.
      try await cache.write(Edition(writer: 0, number: round))
      #expect(try await cache.read()?.value == Edition(writer: 0, number: round))
      #expect(try folder.names == ["cache.json", "cache.json.subpub-lock"])
    }
    #expect(leftovers > 0, "no kill came between the temporary file and the rename")
  }
}
