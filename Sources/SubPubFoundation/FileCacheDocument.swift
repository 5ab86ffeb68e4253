import Foundation

/// What is in the file of a `FileCache`.
struct FileCacheDocument<Value: Codable & Sendable>: Sendable {
  let value: Value
  /// Seconds since 1970.
  let written: Double

  private enum Key: String, CodingKey { case format, version, written, value }

  /// How long ago it was written. A clock that was set back says zero, and the age of no file is too much for `Duration`.
  func age(at now: Date) -> Duration {
    let seconds = now.timeIntervalSince1970 - written
    return seconds > 0 ? .seconds(min(seconds, 1e18)) : .zero
  }

  func encoded(by encoder: JSONEncoder) throws(FileCacheError.Reason) -> Data {
    do { return try encoder.encode(self) } catch { throw .unencodable(String(describing: error)) }
  }

  static func decode(_ data: Data, by decoder: JSONDecoder) throws(FileCacheError.Reason) -> FileCacheDocument {
    do {
      return try decoder.decode(FileCacheDocument.self, from: data)
    } catch let reason as FileCacheError.Reason {
      throw reason
    } catch {
      // The parser didn't get to `init(from:)`.
      throw .damaged(String(describing: error))
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
      throw FileCacheError.Reason.undecodable(String(describing: error))
    }
  }
}
