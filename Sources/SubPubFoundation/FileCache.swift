public import Foundation
public import SubPub

/// Keeps the last value of a manager in a file, so that it is there when the program starts again.
///
/// ```swift
/// import Foundation
/// import SubPubFoundation
///
/// let folders = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
/// let cache = FileCache<[String]>(file: folders[0].appending(path: "example/names.json"))
/// ```
///
/// A new value is written to a temporary file beside the old one, and then takes its name: whatever happens meanwhile,
/// a crash or a full disk, the file holds the old value or the new one, whole.
///
/// ## Files
///
/// - The file itself, for its owner only (mode 0600).
/// - The same name with `.new`: what is being written. One that a killed process has left behind is overwritten by the
///   next write, and removed by `clear()`. It is never read.
/// - The same name with `.lock`: empty, locked while a file is replaced or removed. Never removed itself. The lock ends
///   with the process that holds it.
///
/// A folder that is missing is made by the first write, for its owner only (mode 0700).
///
/// ## Sharing
///
/// Several caches, also of several processes, may use one file: each read finds a whole value that one of them wrote
/// last. Each cache runs its operations one at a time, on a queue of its own; none blocks a thread of the Swift pool.
/// A write or a clear waits while another cache of the same file writes. Cancelling a task doesn't end an operation that
/// has begun.
///
/// ## Format
///
/// One JSON object:
///
/// | key | value |
/// |---|---|
/// | `format` | the string `SubPub cache` |
/// | `version` | the number 1 |
/// | `written` | when the value was written: seconds since the start of 1970, UTC |
/// | `value` | the value, as `JSONEncoder` writes it |
///
/// The age of a value is told by the system's clock, since it outlives the process. A clock that was set back since
/// makes the value new.
public final class FileCache<Value: Codable & Sendable>: StateCache {
  /// Where the value is kept.
  public let file: URL

  private let worker: FileCacheWorker<Value>

  /// A cache that uses that file. Looks at no file before the first operation.
  ///
  /// - Parameters:
  ///   - file: A file URL; anything else is a programmer's error. Its folder should belong to the user: who may write
  ///     there may replace the file.
  ///   - now: What time it is. Called on the queue of the cache.
  public init(file: URL, now: @escaping @Sendable () -> Date = { Date() }) {
    guard file.isFileURL else {
      fatalError("A FileCache was made with \(file), which names no file: give a file URL")
    }
    self.file = file
    worker = FileCacheWorker(file: CacheFile(path: file.absoluteURL.path(percentEncoded: false)), now: now)
  }

  /// The value that was written last, and its age; nil if there is no file.
  ///
  /// Throws when there is a file and it can't be read, isn't whole, is in another format, or holds something else than
  /// a `Value`. The file stays as it is, for someone to look at; the next write replaces it, and `clear()` removes it.
  public func read() async throws(FileCacheError) -> Cached<Value>? {
    do { return try await worker.read() } catch { throw FileCacheError(file: file, operation: .read, reason: error) }
  }

  /// Replaces the value. When it throws, the value before is still there, whole.
  public func write(_ value: Value) async throws(FileCacheError) {
    do { try await worker.write(value) } catch { throw FileCacheError(file: file, operation: .write, reason: error) }
  }

  /// Removes the file, and what a write that was killed has left behind. Does nothing if there is neither.
  public func clear() async throws(FileCacheError) {
    do { try await worker.clear() } catch { throw FileCacheError(file: file, operation: .clear, reason: error) }
  }
}

extension FileCache: CustomStringConvertible {
  /// The file and the type: `FileCache<Int>(/home/me/numbers.json)`.
  public var description: String { "FileCache<\(Value.self)>(\(file.path(percentEncoded: false)))" }
}
