import Foundation

func uptime() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Waits until something is so; throws if that takes too long.
func wait(for what: String, seconds: Double, until isSo: () throws -> Bool) throws {
  let limit = Date() + seconds
  while try !isSo() {
    guard Date() < limit else { throw Wrong(description: "no \(what) within \(seconds) s") }
    usleep(5_000)
  }
}

/// A process that this one has started, and that dies with it.
final class Child {
  let name: String
  private let process: Process
  private let alive = Pipe()

  /// Starts a program, whose output is in the folder.
  init(_ name: String, in folder: String, _ arguments: [String]) throws {
    self.name = name
    // In other processes, it would keep the guardian waiting after the end of this one, however that comes.
    _ = fcntl(alive.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let output = open("\(folder)/\(name).out", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    process = try run(arguments, output: FileHandle(fileDescriptor: output, closeOnDealloc: true))
    // The guardian.
    _ = try run(["sh", "-c", "read -r _ || kill -KILL \(process.processIdentifier)"], input: alive)
  }

  /// Tells the guardian that there is nothing to kill any more.
  private func dismissGuardian() { try? alive.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")]) }

  var isRunning: Bool { process.isRunning }

  func signal(_ number: Int32) { _ = kill(process.processIdentifier, number) }

  func killNow() {
    let isRunning = process.isRunning
    signal(SIGKILL)
    if isRunning { dismissGuardian() }
    process.waitUntilExit()
  }

  /// Waits for the end; throws if it doesn't come in time, or with another status.
  func end(within seconds: Double, status expected: Int32...) throws {
    try wait(for: "end of \(name)", seconds: seconds) { !process.isRunning }
    dismissGuardian()
    let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    guard expected.contains(status) else { throw Wrong(description: "\(name) ends with \(status)") }
  }
}

private func run(_ arguments: [String], input: Pipe? = nil, output: Any = FileHandle.nullDevice) throws -> Process {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = arguments
  if let input { process.standardInput = input }
  process.standardOutput = output
  process.standardError = output as? FileHandle ?? .nullDevice
  try process.run()
  return process
}

/// The Redis server, whose every write is on the disk before its reply.
final class Server {
  private let folder: String
  private let data: String
  private let snapshot: String
  let socket: String
  private var process: Child?

  init(_ folder: String) {
    self.folder = folder
    (data, snapshot, socket) = ("\(folder)/data", "\(folder)/snapshot", "\(folder)/server")
  }

  func start() throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    process = try Child(
      "server", in: folder,
      ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", data, "--loglevel", "warning"]
        + ["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
    try wait(for: "answer of the server", seconds: 20) { try command("PING") == "PONG" }
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

  func restore() throws {
    try FileManager.default.removeItem(atPath: data)
    try FileManager.default.copyItem(atPath: snapshot, toPath: data)
  }

  @discardableResult
  func command(_ arguments: String...) throws -> String { try command(arguments) }

  private func command(_ arguments: [String]) throws -> String {
    let pipe = Pipe()
    let process = try run(["redis-cli", "-s", socket] + arguments, output: pipe)
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
    var (entries, isValue) = ([Entry](), false)
    for line in try command([name, Program.key] + arguments).split(separator: "\n") {
      if isValue { entries[entries.count - 1].value = Int(line) }
      if !isValue, let id = EntryID(line) { entries.append(Entry(id: id)) }
      isValue = !isValue && line == "value"
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
