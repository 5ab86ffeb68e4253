import Foundation
import SubPub
import SubPubRedis

/// One process of a fleet; answers every line with the smallest and the largest version that its mirrors show.
func follow(_ key: String, _ count: Int, pace: Int) async throws {
  let pacing = pace == 0 ? nil : Duration.milliseconds(pace)
  let mirrors = (0..<count).map { _ in RedisMirror<Int>(key: key, from: [endpoint], pacing: pacing) }
  let runs = mirrors.map { mirror in Task { try await mirror.run() } }
  try await until { mirrors.allSatisfy { $0.publisher.state.phase == .loaded } }
  await Task.detached {
    while readLine() != nil {
      let values = mirrors.map { $0.publisher.state.value ?? -1 }
      print("\(values.min() ?? -1) \(values.max() ?? -1)")
      fflush(nil)
    }
  }.value
  for run in runs { run.cancel() }
}

private final class Follower {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  init(_ key: String, _ mirrors: Int, pace: Int) throws {
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = [server, "follow", key, "\(mirrors)", "\(pace)"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
  }

  /// The smallest version that its mirrors show.
  func slowest() throws -> Int {
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) } ?? -1
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// Many mirrors of one key in many processes, on the same machine as the server.
func fleet(processes: Int, mirrors: Int, rate: Int, seconds: Int, pace: Int) async throws {
  let (publisher, key) = (Publisher<Int>(initial: 0), "fleet \(pace)")
  let outlet = RedisOutlet(publisher, key: key, endpoint: endpoint)
  let run = Task { try await outlet.run() }
  try await until { outlet.statistics.entries > 0 }
  let followers = try (0..<processes).map { _ in try Follower(key, mirrors, pace: pace) }
  // Once each has answered, all of its mirrors have a state.
  for follower in followers { _ = try follower.slowest() }
  let start = ContinuousClock.now
  var worst = 0
  for number in 1...rate * seconds {
    try await Task.sleep(until: start + .seconds(1) / rate * number)
    publisher.updateData(number)
    if number % rate == 0 { worst = max(worst, number - (try followers.map { try $0.slowest() }.min() ?? 0)) }
  }
  let end = ContinuousClock.now
  while try followers.contains(where: { try $0.slowest() < rate * seconds }) {
    try await Task.sleep(for: .milliseconds(10))
    if end.duration(to: .now) > .seconds(120) { break }
  }
  let name =
    "\(processes * mirrors) mirrors in \(processes) processes, \(pace == 0 ? "no pace" : "a pace of \(pace) ms")"
  let late = end.duration(to: .now) / .milliseconds(1)
  print("\(name): up to \(worst) states behind while \(rate) are published a second")
  check("\(name): after the last state", late, atMost: pace == 0 ? 120_000 : 1_000, "ms")
  for follower in followers { follower.end() }
  run.cancel()
  try await run.value
}
