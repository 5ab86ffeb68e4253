import Foundation
import SubPub

/// An actor that runs the operations of a `FileCache` on a Dispatch queue.
///
/// The queue may be blocked by a disk, by a lock, and by coding a large value.
actor FileCacheWorker<Value: Codable & Sendable> {
  private let file: CacheFile
  private let now: @Sendable () -> Date
  private let encoder: @Sendable () -> JSONEncoder
  private let decoder: @Sendable () -> JSONDecoder
  private let executor = QueueExecutor(label: "SubPub.FileCache")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(
    file: CacheFile, now: @escaping @Sendable () -> Date, encoder: @escaping @Sendable () -> JSONEncoder,
    decoder: @escaping @Sendable () -> JSONDecoder
  ) {
    self.file = file
    self.now = now
    self.encoder = encoder
    self.decoder = decoder
  }

  func read() throws(FileCacheError.Reason) -> Cached<Value>? {
    guard let data = try file.contents() else { return nil }
    let document = try FileCacheDocument<Value>.decode(data, by: decoder())
    return Cached(value: document.value, age: document.age(at: now()))
  }

  func write(_ value: Value, age: Duration) throws(FileCacheError.Reason) {
    // Encoded before any file is accessed, and outside the lock: all of these run the user's code.
    let document = FileCacheDocument(value: value, written: now().timeIntervalSince1970 - age / .seconds(1))
    let data = try document.encoded(by: encoder())
    try file.replace(with: data)
  }

  func clear() throws(FileCacheError.Reason) { try file.remove() }
}

/// The contents of a `FileCache`'s file.
struct FileCacheDocument<Value: Codable & Sendable>: Sendable {
  let value: Value
  /// When the value was written, minus the age that it had then, in seconds since 1970.
  let written: Double

  private enum Key: String, CodingKey { case format, version, written, value }

  /// Returns the age of the value; zero if the clock was set back.
  ///
  /// Limited, because a damaged file may contain any time: whoever gets the age may count it in nanoseconds (5.29).
  func age(at now: Date) -> Duration {
    let seconds = now.timeIntervalSince1970 - written
    return seconds > 0 ? .seconds(min(seconds, 9e9)) : .zero
  }

  func encoded(by encoder: JSONEncoder) throws(FileCacheError.Reason) -> Data {
    do { return try encoder.encode(self) } catch { throw .unencodable(String(describing: error).shortened) }
  }

  static func decode(_ data: Data, by decoder: JSONDecoder) throws(FileCacheError.Reason) -> FileCacheDocument {
    do {
      return try decoder.decode(FileCacheDocument.self, from: data)
    } catch let reason as FileCacheError.Reason {
      throw reason
    } catch {
      // The parser failed before `init(from:)` was called.
      throw .damaged(String(describing: error).shortened)
    }
  }
}

extension FileCacheDocument: Codable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(FileCacheFormat.name, forKey: .format)
    try container.encode(FileCacheFormat.version, forKey: .version)
    try container.encode(written, forKey: .written)
    try container.encode(value, forKey: .value)
  }

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Key.self),
      let format = try? container.decode(String.self, forKey: .format), format == FileCacheFormat.name,
      let version = try? container.decode(Int.self, forKey: .version)
    else { throw FileCacheError.Reason.foreign }
    guard version == FileCacheFormat.version else { throw FileCacheError.Reason.version(version) }
    do {
      written = try container.decode(Double.self, forKey: .written)
      value = try container.decode(Value.self, forKey: .value)
    } catch {
      throw FileCacheError.Reason.undecodable(String(describing: error).shortened)
    }
    // Such a value would count as new for as long as anybody lives.
    guard written < FileCacheFormat.firstFutureTime else {
      throw FileCacheError.Reason.damaged("it claims to have been written \(written) seconds after 1970")
    }
  }
}
