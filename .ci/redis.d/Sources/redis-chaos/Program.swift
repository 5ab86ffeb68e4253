// The chaos test of `.ci/redis`: one writing process after the other, eight mirrors in three processes, and a server,
// which are killed, paused, cut off from each other, and deprived of their data, as a seed says.
//
//   redis-chaos run SEED ACTIONS [sentinel]  the whole test, in a folder of its own; status 1 if a rule is broken; with
//                                            `sentinel`, the server has a replica, and one takes the other's place
//   redis-chaos write FOLDER NUMBER LENGTH   the writer with that number: an outlet that is published to while there is
//                                            no file `stop`; status 3 if another outlet has taken over
//   redis-chaos mirror FOLDER NUMBER COUNT   mirrors, each of which appends what it shows to a log of its own
//
// The last two are started by the first, and run until SIGTERM.

import Dispatch
import Foundation
import SubPub
import SubPubRedis

struct Wrong: Error, CustomStringConvertible {
  let description: String
}

@main
struct Program {
  static let key = "chaos"
  static let timeout = Duration.seconds(1)
  static let retry = RetryPolicy.exponential(
    maxAttempts: .max, initial: .milliseconds(10), maximum: .milliseconds(200), jitter: 0.5)

  /// The numbers that are published: each writer has numbers of its own.
  static let numbersOfEach = 100_000_000

  static func main() async {
    let arguments = CommandLine.arguments
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    do {
      switch (arguments.dropFirst().first, numbers.count) {
      // Blocking: what it starts are processes of their own.
      case ("run", 2):
        try Chaos(seed: UInt64(numbers[0]), hasSentinel: arguments.last == "sentinel").run(actions: numbers[1])
      case ("write", 2): try await write(arguments[2], numbers[0], numbers[1])
      case ("mirror", 2): try await mirror(arguments[2], numbers[0], numbers[1])
      default:
        print("usage: redis-chaos run SEED ACTIONS [sentinel]")
        exit(2)
      }
    } catch let error as RedisSuperseded {
      print(error)
      exit(3)
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  /// Holds the URL of the sentinel, if there is one.
  static let urlFile = "url"

  private static func endpoint(_ folder: String, _ name: String) throws -> RedisEndpoint {
    guard let url = try? String(contentsOfFile: "\(folder)/\(urlFile)", encoding: .utf8) else {
      return RedisEndpoint(unixSocket: "\(folder)/\(name)", timeout: timeout)
    }
    var endpoint = try RedisEndpoint(url: url)
    (endpoint.connectTimeout, endpoint.replyTimeout) = (timeout, timeout)
    return endpoint
  }

  /// Runs until SIGTERM, which cancels the task.
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

  /// Publishes numbers while there is no file `stop`; if there is one, the last number is in a file, too.
  ///
  /// Of four writers, two publish twenty numbers at a time, the next one a number now and then, and the fourth none but
  /// the first.
  private static func write(_ folder: String, _ number: Int, _ maxLength: Int) async throws {
    let (count, pause) = [(20, 9), (20, 9), (1, 300), (0, 50)][number % 4]
    let publisher = Publisher<Int>(label: "numbers")
    publisher.updateData(number * numbersOfEach)
    let outlet = RedisOutlet(
      publisher, key: key, endpoint: try endpoint(folder, "writer.\(number % 2)"), maxLength: maxLength, retry: retry)
    let publishing = Task.detached {
      let (stop, last) = ("\(folder)/stop", "\(folder)/last.\(number)")
      var value = number * numbersOfEach
      while true {
        let stops = FileManager.default.fileExists(atPath: stop)
        if stops, !FileManager.default.fileExists(atPath: last) {
          try Data("\(value)".utf8).write(to: URL(filePath: last), options: .atomic)
        }
        for _ in 0..<(stops ? 0 : count) {
          value += 1
          publisher.updateData(value)
        }
        try await Task.sleep(for: .milliseconds(stops ? 5 : pause))
      }
    }
    defer { publishing.cancel() }
    try await untilTerminated { try await outlet.run() }
  }

  // MARK: Mirrors

  private static func mirror(_ folder: String, _ process: Int, _ count: Int) async throws {
    try await untilTerminated {
      try await withThrowingTaskGroup { group in
        for number in 0..<count { group.addTask { try await mirror(folder, process, number: number) } }
        try await group.waitForAll()
      }
    }
  }

  private static func mirror(_ folder: String, _ process: Int, number: Int) async throws {
    var endpoint = try endpoint(folder, "mirror.\(process)")
    // So that it doesn't share the connections of the others in its process.
    if number == 2 { endpoint.clientName = "alone" }
    let mirror = RedisMirror<Int>(key: key, endpoint: endpoint, retry: retry)
    let log = open("\(folder)/log.\(process).\(number)", O_WRONLY | O_CREAT | O_APPEND, 0o644)
    note("begin", in: log)
    let observation = mirror.publisher.observe(on: .immediate) { publication in
      switch publication.state {
      case .loaded(let value):
        note("\(value) \(mirror.statistics.lastEntry ?? "?") \(uptime())", in: log)
      case .error(let error, _):
        note(error is RedisError ? "error \(uptime())" : "wrong \(error)", in: log)
      case .unknown, .loading: note("pause", in: log)
      }
    }
    // One of the mirrors stops and continues again and again.
    try await number == 0 ? continueOften(mirror) : mirror.run()
    withExtendedLifetime(observation) {}
  }

  private static func continueOften(_ mirror: RedisMirror<Int>) async throws {
    while !Task.isCancelled {
      try await withThrowingTaskGroup { group in
        group.addTask { try await mirror.run() }
        try? await Task.sleep(for: .milliseconds(.random(in: 100...1_500)))
        group.cancelAll()
        try await group.waitForAll()
      }
    }
  }

  private static func note(_ line: String, in log: Int32) {
    let bytes = Array("\(line)\n".utf8)
    _ = Foundation.write(log, bytes, bytes.count)
  }
}
