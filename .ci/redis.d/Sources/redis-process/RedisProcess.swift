// The processes of the chaos test:
//
//   redis-process write SOCKET FILE LAST     publishes the numbers after the one in FILE up to LAST, and keeps FILE current
//   redis-process mirror SOCKET FILE COUNT   COUNT mirrors; each appends what it shows to FILE.NUMBER, and checks it
//
// Both run until SIGTERM, and end with status 1 if something was wrong. A writer that was superseded ends with status 3.

import Dispatch
import Foundation
import SubPub
import SubPubRedis
import Synchronization

struct Wrong: Error, CustomStringConvertible {
  let description: String
}

@main
struct RedisProcess {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let number = Int(arguments[4]) else {
      print("usage: redis-process write|mirror SOCKET FILE NUMBER")
      exit(2)
    }
    let endpoint = RedisEndpoint(unixSocket: arguments[2], timeout: .seconds(2))
    do {
      if arguments[1] == "write" {
        try await write(to: endpoint, arguments[3], upTo: number)
      } else {
        try await mirror(endpoint, arguments[3], count: number)
      }
    } catch let error as RedisSuperseded {
      print(error)
      exit(3)
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static let retry = RetryPolicy.exponential(
    maxAttempts: .max, initial: .milliseconds(10), maximum: .milliseconds(200), jitter: 0.5)

  /// Returns a task that is cancelled by SIGTERM.
  private static func untilTerminated(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task { try await body() }
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    source.setEventHandler { task.cancel() }
    source.activate()
    defer { source.cancel() }
    try await task.value
  }

  // MARK: Writing

  private static func write(to endpoint: RedisEndpoint, _ file: String, upTo last: Int) async throws {
    let before = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    let progress = open(file, O_WRONLY | O_CREAT, 0o644)
    let publisher = Publisher<Int>(label: "numbers")
    publisher.updateData(before)
    let outlet = RedisOutlet(publisher, key: "chaos", endpoint: endpoint, maxLength: 1_000_000, retry: retry)
    let publishing = Task.detached {
      guard before < last else { return }
      for number in before + 1...last {
        // In the file first: a number is never published twice.
        let line = Array("\(number)\n".utf8)
        _ = pwrite(progress, line, line.count, 0)
        publisher.updateData(number)
        if number % 40 == 0 { try await Task.sleep(for: .milliseconds(9)) }
      }
    }
    defer { publishing.cancel() }
    try await untilTerminated { try await outlet.run() }
    print("written: \(outlet.statistics)")
  }

  // MARK: Mirrors

  /// Checks what one mirror shows.
  private struct Checker {
    var last: (number: Int, epoch: UInt64, version: UInt64)?
    /// Whether the last state was an error, after which the state from before may be shown once more.
    var isAfterError = false
    var skipped: UInt64 = 0
    var wrong: [String] = []

    mutating func note(_ number: Int, _ entry: String) {
      let parts = entry.split(separator: "-").compactMap { UInt64($0) }
      let new = (number: number, epoch: parts[0], version: parts[1])
      if let last {
        let isRepeated = isAfterError && last == new
        if number < last.number || !isRepeated && (new.epoch, new.version) <= (last.epoch, last.version) {
          wrong.append("\(new) after \(last)")
        }
        if new.epoch == last.epoch, new.version > last.version { skipped += new.version - last.version - 1 }
      }
      (last, isAfterError) = (new, false)
    }
  }

  private static func mirror(_ endpoint: RedisEndpoint, _ file: String, count: Int) async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<count {
        let mirror = RedisMirror<Int>(key: "chaos", endpoint: endpoint, retry: retry)
        let checker = Mutex(Checker())
        let log = open("\(file).\(number)", O_WRONLY | O_CREAT | O_APPEND, 0o644)
        let observation = mirror.publisher.observe(on: .immediate) { publication in
          switch publication.state {
          case .loaded(let value):
            let entry = mirror.statistics.lastEntry ?? ""
            checker.withLock { $0.note(value, entry) }
            let line = Array("\(value) \(entry)\n".utf8)
            _ = Foundation.write(log, line, line.count)
          case .error(is RedisError, _): checker.withLock { $0.isAfterError = true }
          case .error(let error, _): checker.withLock { $0.wrong.append("\(error)") }
          case .unknown, .loading: break
          }
        }
        group.addTask {
          try await untilTerminated { try await mirror.run() }
          let (found, statistics) = (checker.withLock { $0 }, mirror.statistics)
          if !found.wrong.isEmpty { throw Wrong(description: found.wrong.prefix(5).joined(separator: "; ")) }
          // The stream holds everything, so there is no reason to skip anything (8.06).
          guard found.skipped == 0, statistics.skipped == 0 else {
            throw Wrong(description: "skipped \(found.skipped), counted \(statistics.skipped)")
          }
          print("mirror \(number): \(statistics)")
          withExtendedLifetime(observation) {}
        }
      }
      try await group.waitForAll()
    }
  }
}
