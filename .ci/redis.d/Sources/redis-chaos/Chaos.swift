import Foundation
import SubPubTesting

/// The driver: starts the processes, does harm, and checks.
final class Chaos {
  private static let mirrorCounts = [3, 3, 2]
  /// How long a cancelled process may take, in seconds: twice the time-out, and some for a busy machine.
  static let endLimit = 4.0

  private let folder: String
  private let first: RedisServer
  private let port: Int?
  /// Two servers, the first among them, and their sentinel; nil if there is one server.
  private(set) var pair: Pair?
  /// Each writer goes through another one than the writer before.
  let writerProxies: [Line]
  let mirrorProxies: [Line]
  private let maxLength: Int
  private var generator: SeededGenerator
  var oracle = Oracle()
  private(set) var writerCount = 0
  private var writer: Child?
  private(set) var mirrors: [Child] = []
  private var counts: [String: Int] = [:]

  init(seed: UInt64, hasSentinel: Bool) throws {
    folder = "/tmp/chaos-\(seed)-\(getpid())"
    generator = SeededGenerator(seed: seed)
    maxLength = seed % 2 == 0 ? 16 : 1_000_000
    port = hasSentinel ? try RedisServer.freePort() : nil
    let server = try RedisServer(in: folder, isTemporary: false, port.map(Pair.options) ?? [])
    writerProxies = try (0...1).map { try Line(at: "\(server.folder)/writer.\($0)", to: server) }
    mirrorProxies = try Self.mirrorCounts.indices.map { try Line(at: "\(server.folder)/mirror.\($0)", to: server) }
    first = server
  }

  /// The server that outlets write to.
  var server: RedisServer { pair?.primary ?? first }

  func random(_ range: ClosedRange<UInt32>) -> UInt32 { .random(in: range, using: &generator) }

  func run(actions: Int) throws {
    try first.start()
    try keepSnapshot()
    if let port {
      let pair = try Pair(first, port)
      self.pair = pair
      try Data(pair.sentinel.url.utf8).write(to: URL(filePath: "\(folder)/\(Program.urlFile)"))
    }
    try startWriter()
    for number in Self.mirrorCounts.indices { try startMirrors(number) }
    for _ in 0..<actions {
      usleep(random(100_000...500_000))
      let harm = harms.randomElement(using: &generator)!
      counts[harm.name, default: 0] += 1
      print("\(uptime()) \(harm.name)")
      fflush(nil)
      try harm.action()
      for child in [writer!] + mirrors where !child.isRunning { throw Wrong(description: "\(child.name) has ended") }
    }
    try finish()
  }

  // MARK: Processes

  var writerProxy: Line { writerProxies[writerCount % 2] }

  func startWriter() throws {
    writerCount += 1
    writer = try start("writer \(writerCount)", "write", "\(writerCount)", "\(maxLength)")
  }

  /// Returns the writer, which isn't the one that is checked any more.
  func removeWriter() -> Child {
    defer { writer = nil }
    return writer!
  }

  func startMirrors(_ number: Int) throws {
    let child = try start("mirrors \(number)", "mirror", "\(number)", "\(Self.mirrorCounts[number])")
    if number < mirrors.count { mirrors[number] = child } else { mirrors.append(child) }
  }

  private func start(_ name: String, _ role: String, _ arguments: String...) throws -> Child {
    try Child(name, in: folder, [CommandLine.arguments[0], role, folder] + arguments)
  }

  /// Waits until the last writer has written, and returns the last entry.
  @discardableResult
  func waitForWriter() throws -> Entry {
    var last: Entry?
    try wait(for: "states of writer \(writerCount)", seconds: 30) {
      last = try server.entries("XREVRANGE", "+", "-", "COUNT", "1").last
      return last?.value.map { $0 / Program.numbersOfEach } == writerCount
    }
    return last!
  }

  /// Lets the writer publish nothing more, and returns the last number.
  func stopPublishing() throws -> String {
    let file = "\(folder)/last.\(writerCount)"
    try? FileManager.default.removeItem(atPath: file)
    try Data().write(to: URL(filePath: "\(folder)/stop"))
    try wait(for: "last number of the writer", seconds: 30) { FileManager.default.fileExists(atPath: file) }
    return try String(contentsOfFile: file, encoding: .utf8)
  }

  func goOnPublishing() throws { try FileManager.default.removeItem(atPath: "\(folder)/stop") }

  // MARK: Mirrors

  private var logs: [(process: Int, number: Int, path: String)] {
    Self.mirrorCounts.enumerated().flatMap { [folder] process, count in
      (0..<count).map { (process: process, number: $0, path: "\(folder)/log.\(process).\($0)") }
    }
  }

  /// Waits until every mirror shows the number.
  func waitForMirrors(toShow last: String) throws {
    for log in logs.map(\.path) {
      try wait(for: "\(last) in \(log)", seconds: 60) {
        let end = String(decoding: try Data(contentsOf: URL(filePath: log)).suffix(200), as: UTF8.self)
        return end.split(separator: "\n").last?.hasPrefix("\(last) ") ?? false
      }
    }
  }

  // MARK: The end

  private func finish() throws {
    for proxy in writerProxies + mirrorProxies { proxy.heal() }
    try waitForMirrors(toShow: stopPublishing())
    try oracle.note(server)
    // SIGTERM once more, in case that a process was just about to handle it.
    for child in [writer!] + mirrors { child.signal(SIGTERM) }
    for child in [writer!] + mirrors { try child.end(within: Self.endLimit, status: 0) }
    // The first mirror of a process stops and continues all the time.
    for log in logs { try oracle.check(log.path, process: log.process, isContinued: log.number > 0) }
    let harm = counts.map { "\($0) × \($1)" }.sorted().joined(separator: ", ")
    print("\(oracle.judged) states and \(oracle.judgedErrors) errors judged, \(harm)")
    first.kill()
    pair?.end()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
