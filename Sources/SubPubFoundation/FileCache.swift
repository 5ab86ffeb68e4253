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
/// - The same name with `.subpub-new`: what is being written. What a killed process has left behind there is removed by
///   the next write, and by `clear()`. It is never read.
/// - The same name with `.subpub-lock`: empty, locked while a file is replaced or removed. Never removed itself. The
///   lock ends with the process that holds it.
///
/// No cache may have a name with one of these two suffixes, so a cache never uses a file that belongs to another one.
/// The longer suffix has 12 bytes: where the file system limits names to 255 bytes, the name of a cache has at most 243.
/// Writing to a cache with a longer name throws an error with the code `ENAMETOOLONG`.
///
/// A folder that is missing is made by the first write, for its owner only (mode 0700).
///
/// ## Sharing
///
/// Several caches, also of several processes, may use one file: each read finds a whole value that one of them wrote
/// last. Each cache runs its operations one at a time, on a queue of its own; none blocks a thread of the Swift pool.
/// A write or a clear waits while another cache of the same file writes. A clear that finds no file doesn't wait for a
/// write of another cache that has made none yet: that write comes after the clear. Cancelling a task doesn't end an
/// operation that has begun.
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
/// | `value` | the value, as the `JSONEncoder` writes it |
///
/// A file has at most 256 MiB: a larger one is neither written nor read (`FileCacheError.Reason.tooLarge`).
///
/// By default a date is a number, the seconds since the start of 2001, UTC; data is a string in Base64; and a number
/// that is infinite or not a number can't be written. Give an encoder and a decoder with other strategies to change
/// that. They code the whole object: a strategy for keys that changes one of the four above has to be undone by the
/// decoder's.
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
  ///   - file: A file URL with a path in UTF-8, without a NUL, and without a slash at the end, which would name a
  ///     folder. The name must not end with `.subpub-new` or `.subpub-lock`, in any spelling that a file system might
  ///     take for one of them: another case, equivalent or invisible characters, periods or spaces at the end.
  ///     Anything else is a programmer error. An encoded slash (`%2F`) is no separator. The folder should
  ///     belong to the user: who may write there may replace the file.
  ///   - now: What time it is. Called on the queue of the cache, as are the next two.
  ///   - encoder: Makes the encoder of one write.
  ///   - decoder: Makes the decoder of one read.
  public convenience init(
    file: URL,
    now: @escaping @Sendable () -> Date = { Date() },
    encoder: @escaping @Sendable () -> JSONEncoder = {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return encoder
    },
    decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.init(file: file, sizeLimit: FileCacheFormat.sizeLimit, now: now, encoder: encoder, decoder: decoder)
  }

  /// The same, with another limit to the bytes of the file: tests have no time for files as large as may be.
  package init(
    file: URL, sizeLimit: Int, now: @escaping @Sendable () -> Date = { Date() },
    encoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() },
    decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) {
    self.file = file
    let file = CacheFile(file, sizeLimit: sizeLimit)
    worker = FileCacheWorker(file: file, now: now, encoder: encoder, decoder: decoder)
  }

  /// The path, byte by byte: all caches of one path share one queue of operations.
  public var identity: CacheIdentity? { CacheIdentity(named: "file \(file.systemPath ?? file.absoluteString)") }

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

  /// Removes the file, and what a write that was killed has left behind. Touches nothing if there is neither.
  public func clear() async throws(FileCacheError) {
    do { try await worker.clear() } catch { throw FileCacheError(file: file, operation: .clear, reason: error) }
  }
}

extension FileCache: CustomStringConvertible {
  /// The file and the type: `FileCache<Int>(/home/me/numbers.json)`.
  public var description: String { "FileCache<\(Value.self)>(\(file.systemPath ?? file.absoluteString))" }
}
