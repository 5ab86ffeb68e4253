import Foundation

/// A process that this one has started, and that dies with it.
final class Child {
  let name: String
  private let process = Process()
  private let alive = Pipe()

  init(_ name: String, _ arguments: [String], output: String) throws {
    self.name = name
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let descriptor = open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Wrong(description: "cannot write to \(output)") }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    // Waits for the end of this process, however that comes.
    let guardian = Process()
    guardian.executableURL = URL(filePath: "/bin/sh")
    guardian.arguments = ["-c", "read -r _ || kill -KILL \(process.processIdentifier)"]
    guardian.standardInput = alive
    // Other children would keep it waiting.
    _ = fcntl(alive.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try guardian.run()
  }

  /// Tells the guardian that there is nothing to kill any more.
  private func dismissGuardian() { try? alive.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")]) }

  var isRunning: Bool { process.isRunning }

  func signal(_ number: Int32) { _ = kill(process.processIdentifier, number) }

  func killNow() {
    if process.isRunning { dismissGuardian() }
    signal(SIGKILL)
    process.waitUntilExit()
  }

  /// Waits for the end; throws if it doesn't come in time.
  func end(within seconds: Double) throws -> Int32 {
    let limit = Date() + seconds
    while process.isRunning {
      guard Date() < limit else { throw Wrong(description: "\(name) doesn't end within \(seconds) s") }
      usleep(5_000)
    }
    dismissGuardian()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}

/// The Redis server, whose every write is on the disk before its reply.
final class Server {
  private let folder: String
  private var process: Child?

  init(_ folder: String) { self.folder = folder }

  var data: String { "\(folder)/data" }
  private var snapshot: String { "\(folder)/snapshot" }
  var socket: String { "\(folder)/server" }

  func start() throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    process = try Child(
      "the server",
      [
        "redis-server", "--port", "0", "--unixsocket", socket, "--dir", data, "--save", "", "--appendonly", "yes",
        "--appendfsync", "always", "--loglevel", "warning", "--enable-debug-command", "local",
      ], output: "\(folder)/server.out")
    let limit = Date() + 20
    while try command("PING") != "PONG" {
      guard Date() < limit else { throw Wrong(description: "the server doesn't answer") }
      usleep(5_000)
    }
  }

  func killNow() {
    process?.killNow()
    process = nil
  }

  /// Keeps a copy of the data for `restore`, while the server isn't running.
  func keep() throws {
    try? FileManager.default.removeItem(atPath: snapshot)
    try FileManager.default.copyItem(atPath: data, toPath: snapshot)
  }

  var hasSnapshot: Bool { FileManager.default.fileExists(atPath: snapshot) }

  func restore() throws {
    try FileManager.default.removeItem(atPath: data)
    try FileManager.default.copyItem(atPath: snapshot, toPath: data)
  }

  @discardableResult
  func command(_ arguments: String...) throws -> String { try command(arguments) }

  private func command(_ arguments: [String]) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["redis-cli", "-s", socket] + arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// The entries of the stream after one.
  func entries(after id: EntryID?) throws -> [Entry] { try entries("XRANGE", id.map { "(\($0)" } ?? "-", "+") }

  /// The entries that an outlet has written.
  func entries(of epoch: UInt64) throws -> [Entry] { try entries("XRANGE", "\(epoch)", "\(epoch)") }

  /// The entries that a command finds, with their values.
  func entries(_ name: String, _ arguments: String...) throws -> [Entry] {
    var entries: [Entry] = []
    var isValue = false
    for line in try command([name, Program.key] + arguments).split(separator: "\n") {
      if isValue {
        entries[entries.count - 1].value = Int(line)
        isValue = false
      } else if let id = EntryID(line) {
        entries.append(Entry(id: id))
      } else {
        isValue = line == "value"
      }
    }
    return entries
  }
}

struct EntryID: Hashable, Comparable, CustomStringConvertible {
  let epoch: UInt64
  let version: UInt64

  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
    guard parts.count == 2, let epoch = parts[0], let version = parts[1] else { return nil }
    (self.epoch, self.version) = (epoch, version)
  }

  static func < (left: Self, right: Self) -> Bool { (left.epoch, left.version) < (right.epoch, right.version) }

  var description: String { "\(epoch)-\(version)" }
}

struct Entry {
  let id: EntryID
  var value: Int?
}
