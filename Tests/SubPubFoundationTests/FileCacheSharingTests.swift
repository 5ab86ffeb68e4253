import Foundation
import SubPub
import SubPubFoundation
import Testing

/// A value that tells whether it is whole, and who wrote it.
private struct CheckedValue: Codable, Equatable, Sendable {
  let writer: Int
  let number: Int
  /// The number many times, but not equally often for each number, so that no mixture of two files is valid.
  let body: [Int]

  init(writer: Int, number: Int) {
    self.writer = writer
    self.number = number
    body = Array(repeating: number, count: number % 50 * 40)
  }

  var isWhole: Bool { self == CheckedValue(writer: writer, number: number) }
}

@Suite("Several file caches can use one file", .hangLimit)
struct FileCacheSharingTests {
  private let folder = TemporaryFolder()

  @Test("the caches for one file have one identity, by which managers order their operations")
  func required_5_10_identity() throws {
    let (url, folder) = (folder.file, folder.file.deletingLastPathComponent())
    let cache = FileCache<Int>(file: url)
    #expect(cache.identity != nil)
    #expect(FileCache<Int>(file: url).identity == cache.identity)
    // Equal strings that name two files.
    let names = ["caf\u{E9}.json", "cafe\u{301}.json"].map { FileCache<Int>(file: folder.appending(path: $0)).identity }
    #expect(names[0] != names[1])
    #expect(FileCache<Int>(file: folder.appendingPathComponent("other.json")).identity != cache.identity)
  }

  @Test("eight tasks find whole values, and none from before their own writes", arguments: [false, true])
  func tasks(clears: Bool) async throws {
    let caches = [FileCache<CheckedValue>(file: folder.file), FileCache<CheckedValue>(file: folder.file)]
    try await caches[0].write(CheckedValue(writer: 0, number: 0))
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        let cache = caches[task % 2]
        group.addTask {
          for number in 1...60 {
            if clears, task == 4 { try await cache.clear() }
            if task < 4 { try await cache.write(CheckedValue(writer: task, number: number)) }
            guard let found = try await cache.read()?.value else {
              #expect(clears)
              continue
            }
            // The value comes from the task's write or a later one.
            #expect(found.isWhole && (found.writer != task || found.number == number) && found.writer < 4)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.names.isSubset(of: ["cache.json", "cache.json.subpub-lock"]))
    if !clears { #expect(try await caches[1].read()?.value.number == 60) }
    try await caches[0].clear()
    #expect(try folder.names == ["cache.json.subpub-lock"])
  }

  @Test("with two processes that write, a read finds a whole value of one of them")
  func processes() async throws {
    let path = folder.file.path(percentEncoded: false)
    try await FileCache<CheckedValue>(file: folder.file).write(CheckedValue(writer: 0, number: 0))
    let isOver = Locked(false)
    // On a thread of its own, because exit tests block threads of the pool.
    let other = Task(executorPreference: QueueExecutor(label: "this process")) {
      let cache = FileCache<CheckedValue>(file: URL(filePath: path))
      var (met, number) = (0, 0)
      while met < 50, !isOver.withLock({ $0 }) {
        let found = try #require(try await cache.read()?.value)
        #expect(found.isWhole && (0...1).contains(found.writer))
        met += found.writer
        number += 1
        if number % 4 == 0 { try await cache.write(CheckedValue(writer: 0, number: number)) }
      }
      try Data().write(to: URL(filePath: path + ".end"))
      return met
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let cache = FileCache<CheckedValue>(file: URL(filePath: path))
      let parent = getppid()
      var number = 0
      while !FileManager.default.fileExists(atPath: path + ".end") {
        try #require(getppid() == parent, "the other process has died")
        number += 1
        try await cache.write(CheckedValue(writer: 1, number: number))
        let found = try #require(try await cache.read()?.value)
        #expect(found.isWhole && (found.writer != 1 || found.number == number))
      }
    }
    isOver.withLock { $0 = true }
    #expect(try await other.value == 50)
    #expect(try folder.names == ["cache.json", "cache.json.end", "cache.json.subpub-lock"])
  }
}
