public import Foundation
public import SubPub

/// Why a `FileCache` could not do what it was asked for. Its description names the file and the reason.
public struct FileCacheError: Error, Hashable, Sendable {
  /// What was asked for.
  public typealias Operation = CacheFailure.Operation

  /// What was in the way.
  public enum Reason: Error, Hashable, Sendable {
    /// The system refused a call: what was tried, at which path, and its error number.
    case system(attempt: String, path: String, code: Int32)
    /// There is a folder, a device or a pipe in the file's place.
    case notAFile
    /// The file, or what was to be written, has more bytes than a cache may have.
    case tooLarge(limit: Int)
    /// It isn't JSON from the first to the last byte: not whole, or never a cache.
    case damaged(String)
    /// It is JSON, and not a file of this cache.
    case foreign
    /// It is a file of this cache, in a version of the format that this library doesn't know.
    case version(Int)
    /// It is a file of this cache, and the value in it isn't of the type that is asked for.
    case undecodable(String)
    /// The value that was to be written can't be encoded.
    case unencodable(String)
  }

  /// The file of the cache.
  public let file: URL
  /// What was asked for.
  public let operation: Operation
  /// What was in the way.
  public let reason: Reason
}

extension FileCacheError: CustomStringConvertible, LocalizedError {
  /// A sentence: `cannot write the cache /home/me/news.json: no space left on device (write /home/me/news.json.subpub-new)`.
  public var description: String {
    "cannot \(operation) the cache \(file.systemPath ?? file.absoluteString): \(reason)"
  }

  /// The same.
  public var errorDescription: String? { description }
}
