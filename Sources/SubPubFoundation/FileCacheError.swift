public import Foundation
public import SubPub

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The error of a ``FileCache``, whose description names the file and the reason.
public struct FileCacheError: Error, Hashable, Sendable {
  /// The operation that failed.
  public typealias Operation = CacheFailure.Operation

  /// The reason why an operation failed.
  ///
  /// Descriptions of other errors are cut off after 4 KiB: they may contain the whole value.
  public enum Reason: Error, Hashable, Sendable {
    /// A system call failed: the attempted operation, its path, and the error number.
    case system(attempt: String, path: String, code: Int32)
    /// There is a folder, a device, or a pipe in place of the file.
    case notAFile
    /// The file, or the data to be written, has more bytes than a cache may have.
    case tooLarge(limit: Int)
    /// The file isn't complete JSON, or claims to have been written after the year 9999: it is damaged, or isn't a
    /// cache.
    case damaged(String)
    /// The file is JSON, but not a cache.
    case foreign
    /// The file is a cache, but in a version of the format that this library doesn't support.
    case version(Int)
    /// The file is a cache, but its value isn't of the requested type, or is damaged.
    case undecodable(String)
    /// The value to be written can't be encoded.
    case unencodable(String)
  }

  /// The file of the cache.
  public let file: URL
  /// The operation that failed.
  public let operation: Operation
  /// The reason of the failure.
  public let reason: Reason
}

extension FileCacheError: CustomStringConvertible, LocalizedError {
  /// The operation, the file, and the reason, in words, on one line.
  ///
  /// For example: `cannot write the cache /home/me/news.json: no space left on device (write
  /// /home/me/news.json.subpub-new)`.
  public var description: String {
    let path = (file.systemPath ?? file.absoluteString).onOneLine
    // Escapes are longer than what they stand for. Of other errors, the reason has 4 KiB at most.
    return "cannot \(operation) the cache \(path): \("\(reason)".onOneLine.shortened(to: 5 << 10))"
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}

extension FileCacheError.Reason {
  /// Returns the reason for a system call that has just failed on this thread.
  static func failed(to attempt: String, _ path: String) -> Self {
    .system(attempt: attempt, path: path, code: errno)
  }

  /// Whether a file or folder doesn't exist.
  var isMissing: Bool {
    if case .system(_, _, let code) = self { code == ENOENT } else { false }
  }
}

extension FileCacheError.Reason: CustomStringConvertible {
  /// The reason in words, without the file and the operation.
  public var description: String {
    switch self {
    case .system(let attempt, let path, let code): "\(Self.words(code)) (\(attempt) \(path))"
    case .notAFile: "it is not a regular file"
    case .tooLarge(let limit): "it exceeds the limit of \(limit) bytes"
    case .damaged(let what): "it is damaged, or isn't a cache: \(what)"
    case .foreign: "it is JSON, but not a SubPub cache"
    case .version(let number):
      "it has format version \(number), but this library supports version \(FileCacheFormat.version)"
    case .undecodable(let what): "its value isn't of the requested type: \(what)"
    case .unencodable(let what): "the value can't be encoded: \(what)"
    }
  }

  /// Returns the system's words for an error number: `no such file or directory`.
  private static func words(_ code: Int32) -> String {
    guard let words = unsafe strerror(code) else { return "error \(code)" }
    let text = unsafe String(cString: words)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
