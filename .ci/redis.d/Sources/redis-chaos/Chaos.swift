import Foundation

/// The driver: starts the processes, does harm, and checks.
final class Chaos {
  private static let mirrorCounts = [3, 3, 2]
  /// How long a cancelled process may take, in seconds: twice the time-out, and some for a busy machine.
  static let endLimit = 4.0

  private let folder: String
  let server: Server
  /// Each writer goes through another one than the writer before.
  let writerProxies: [Proxy]
  let mirrorProxies: [Proxy]
  private let maxLength: Int
  var random: Random
  var oracle = Oracle()
  private var writers: [Child] = []
  var mirrors: [Child] = []
  /// The writers that another one is to take over from, or that are being cancelled.
  private var formers: [Child] = []
  var counts: [String: Int] = [:]

  init(seed: UInt64) {
    folder = "/tmp/chaos-\(seed)-\(getpid())"
    random = Random(state: seed)
    maxLength = seed % 2 == 0 ? 16 : 1_000_000
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let server = Server(folder)
    writerProxies = (0...1).map { [folder] in Proxy(at: "\(folder)/writer.\($0)", to: server.socket) }
    mirrorProxies = Self.mirrorCounts.indices.map { [folder] in Proxy(at: "\(folder)/mirror.\($0)", to: server.socket) }
    self.server = server
  }

  func run(actions: Int) throws {
    defer { endEverything() }
    try server.start()
    try startWriter()
    for number in Self.mirrorCounts.indices { try startMirrors(number) }
    for _ in 0..<actions {
      usleep(random.next(100_000...500_000))
      try act()
      guard writers.last?.isRunning == true else { throw Wrong(description: "the writer has ended: see its output") }
      for mirror in mirrors where !mirror.isRunning { throw Wrong(description: "\(mirror.name) has ended") }
    }
    try finish()
  }

  private var proxies: [Proxy] { writerProxies + mirrorProxies }
  var writerProxy: Proxy { writerProxies[writerCount % 2] }

  // MARK: Processes

  private var program: String { CommandLine.arguments[0] }
  var writerCount = 0

  func startWriter() throws {
    writerCount += 1
    writers.append(
      try Child(
        "writer \(writerCount)", [program, "write", folder, "\(writerCount)", "\(maxLength)"],
        output: "\(folder)/writer.out"))
  }

  func removeWriter() -> Child {
    let former = writers.removeLast()
    formers.append(former)
    return former
  }

  func restartWriter() throws {
    writers.removeLast().killNow()
    usleep(random.next(0...300_000))
    try startWriter()
  }

  func startMirrors(_ number: Int) throws {
    let child = try Child(
      "mirrors \(number)", [program, "mirror", folder, "\(number)", "\(Self.mirrorCounts[number])"],
      output: "\(folder)/mirror.\(number).out")
    if number < mirrors.count { mirrors[number] = child } else { mirrors.append(child) }
  }

  /// Waits until the last writer has written, and returns the last entry.
  func waitForWriter() throws -> Entry {
    var last: Entry?
    try wait("states of writer \(writerCount)", seconds: 30) {
      last = try server.entries("XREVRANGE", "+", "-", "COUNT", "1").last
      return last?.value.map { $0 / Numbers.eachWriter } == writerCount
    }
    guard let last else { throw Wrong(description: "no entry") }
    return last
  }

  // MARK: The end

  private func finish() throws {
    for proxy in proxies { proxy.heal() }
    try Data().write(to: URL(filePath: "\(folder)/stop"))
    let file = "\(folder)/last.\(writerCount)"
    try wait("the writer's last number", seconds: 30) { FileManager.default.fileExists(atPath: file) }
    let last = try String(contentsOfFile: file, encoding: .utf8)
    let logs = Self.mirrorCounts.enumerated().flatMap { [folder] process, count in
      (0..<count).map { (process: process, number: $0, path: "\(folder)/log.\(process).\($0)") }
    }
    for log in logs.map(\.path) {
      try wait("\(last) in \(log)", seconds: 60) { try lastLine(of: log).hasPrefix("\(last) ") }
    }
    try oracle.note(server)
    // SIGTERM once more, in case that a process was just about to handle it.
    for child in writers + mirrors { child.signal(SIGTERM) }
    for child in writers + mirrors {
      let status = try child.end(within: Self.endLimit)
      guard status == 0 else { throw Wrong(description: "\(child.name) ends with \(status)") }
    }
    // The first mirror of a process stops and continues all the time.
    for log in logs { try oracle.check(log.path, process: log.process, isContinued: log.number > 0) }
    let harm = counts.map { "\($0) × \($1)" }.sorted().joined(separator: ", ")
    print("\(oracle.judged) states and \(oracle.judgedErrors) errors judged, \(harm)")
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func endEverything() {
    for child in formers + writers + mirrors where child.isRunning {
      child.signal(SIGCONT)
      child.signal(SIGKILL)
    }
    server.killNow()
  }

  private func lastLine(of log: String) throws -> String {
    let handle = try FileHandle(forReadingFrom: URL(filePath: log))
    defer { try? handle.close() }
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: size > 200 ? size - 200 : 0)
    return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n").last.map(
      String.init) ?? ""
  }

  private func wait(_ what: String, seconds: Double, _ condition: () throws -> Bool) throws {
    let limit = Date() + seconds
    while try !condition() {
      guard Date() < limit else { throw Wrong(description: "no \(what) within \(seconds) s") }
      usleep(10_000)
    }
  }
}
