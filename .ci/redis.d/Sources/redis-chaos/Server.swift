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

extension Child {
  /// Waits for the end; throws if it doesn't come in time, or with another status.
  func end(within seconds: Double, status expected: Int32...) throws {
    try wait(for: "end of \(name)", seconds: seconds) { !isRunning }
    dismissGuardian()
    guard expected.contains(status) else { throw Wrong(description: "\(name) ends with \(status)") }
  }
}

extension RedisServer {
  /// Starts the server, and waits until it answers.
  func start() throws {
    try launch()
    try wait(for: "answer of the server", seconds: 20) { try run("PING") == "PONG" }
  }

  /// The entries of the stream after one.
  func entries(after id: EntryID?) throws -> [Entry] { try entries("XRANGE", id.map { "(\($0)" } ?? "-", "+") }

  /// The entries that an outlet has written.
  func entries(of epoch: UInt64) throws -> [Entry] { try entries("XRANGE", "\(epoch)", "\(epoch)") }

  /// The entries that a command finds, with their values.
  func entries(_ name: String, _ arguments: String...) throws -> [Entry] {
    var (entries, field) = ([Entry](), "")
    for line in try run([name, Program.key] + arguments).split(separator: "\n") {
      switch field {
      case "value":
        entries[entries.count - 1].value = Int(line)
        field = ""
      // It looks like the identity of an entry.
      case "publication": field = ""
      default:
        if let id = EntryID(line) { entries.append(Entry(id: id)) }
        field = String(line)
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

/// A value under a lock, for the kit of the tests.
final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = NSLock()

  init(_ value: Value) { self.value = value }

  func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R { try lock.withLock { try body(&value) } }
}
