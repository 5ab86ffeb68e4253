public import Foundation
public import SubPub

/// A cache that keeps the last value of a manager in a file, across runs of the program.
///
/// ```swift
/// import Foundation
/// import SubPubFoundation
///
/// let folders = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
/// let cache = FileCache<[String]>(file: folders[0].appending(path: "example/names.json"))
/// ```
///
/// A new value is written to a temporary file in the same folder, which then takes the name of the file. Even after a
/// crash or on a full disk, the file contains either the old value or the new one, complete.
///
/// ## Files
///
/// - The file itself, for its owner only (mode 0600).
/// - The same name with `.subpub-new`: the temporary file. One that a killed process has left behind is removed by the
///   next write, and by ``clear()``. It is never read.
/// - The same name with `.subpub-lock`: an empty file that is locked while the file is replaced or removed. It is never
///   removed itself. The lock ends with the process that holds it.
///
/// No cache may have a name with one of these two suffixes, so a cache never uses a file that belongs to another one.
/// The longer suffix has 12 bytes: if the file system limits names to 255 bytes, the name of a cache has at most 243.
/// Writing to a cache with a longer name throws an error with the code `ENAMETOOLONG`.
///
/// A missing folder is created by the first write, for its owner only (mode 0700).
///
/// ## Sharing
///
/// Several caches, even of several processes, may use one file: each read finds a complete value, the last one that any
/// of them wrote. Each cache runs its operations one at a time on a queue of its own, and doesn't block a thread of
/// Swift's pool. A write or a clear waits while another cache of the same file writes. A clear that finds no file
/// doesn't wait for a write that hasn't created one yet: that write comes after the clear. Cancelling a task doesn't
/// end an operation that has begun.
///
/// ## Format
///
/// One JSON object:
///
/// | key | value |
/// |---|---|
/// | `format` | the string `SubPub cache` |
/// | `version` | the number 1 |
/// | `written` | when the value was written, minus the age that it had then: seconds since the start of 1970, UTC |
/// | `value` | the value, as the `JSONEncoder` writes it |
///
/// A file has at most 256 MiB. A larger one is neither written nor read (``FileCacheError/Reason/tooLarge(limit:)``).
///
/// By default, a date is a number of seconds since the start of 2001, UTC; data is a string in Base64; and a number
/// that is infinite or not a number can't be written. To change that, pass an encoder and a decoder with other
/// strategies. They code the whole object: if the encoder's strategy for keys changes one of the four keys above, the
/// decoder's has to reverse that.
///
/// The age of a value is measured by the system's clock, because it outlives the process. If the clock was set back to
/// before the write, the value counts as new. A time after the year 9999 isn't a clock's, so the file counts as
/// damaged.
public final class FileCache<Value: Codable & Sendable>: StateCache {
  /// The file that contains the value.
  public let file: URL

  private let worker: FileCacheWorker<Value>

  /// Creates a cache that uses a file, without accessing the file yet.
  ///
  /// - Parameters:
  ///   - file: A file URL. The folder should belong to the user, because anyone who may write there may replace the
  ///     file. An encoded slash (`%2F`) doesn't separate folders.
  ///   - now: Returns the time. Called on the queue of the cache, like the next two.
  ///   - encoder: Makes the encoder of one write.
  ///   - decoder: Makes the decoder of one read.
  /// - Precondition: `file` is a file URL with a path in UTF-8, without a NUL, and without a slash at the end, which
  ///   would name a folder. Its name doesn't end with `.subpub-new` or `.subpub-lock`, in any spelling that a file
  ///   system might consider equal: in another case, with equivalent or invisible characters, or with periods or spaces
  ///   at the end.
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

  /// Creates a cache with another size limit, for tests that can't wait for the largest files, or with a disk that they
  /// watch.
  package init(
    file: URL, sizeLimit: Int, now: @escaping @Sendable () -> Date = { Date() },
    encoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() },
    decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() },
    synchronize: (@Sendable (_ descriptor: Int32) -> Int32)? = nil
  ) {
    self.file = file
    var file = CacheFile(file, sizeLimit: sizeLimit)
    if let synchronize { file.synchronize = synchronize }
    worker = FileCacheWorker(file: file, now: now, encoder: encoder, decoder: decoder)
  }

  /// The bytes of the path: all caches of one path share one queue of operations (5.10).
  public var identity: CacheIdentity? { CacheIdentity(named: "file \(file.systemPath ?? file.absoluteString)") }

  /// Reads the value that was written last.
  ///
  /// - Returns: The value with its age, or nil if there is no file.
  /// - Throws: ``FileCacheError`` if the file can't be read, is incomplete, has another format, or contains a value of
  ///   another type. The file stays as it is: the next ``write(_:)`` replaces it, and ``clear()`` removes it.
  public func read() async throws(FileCacheError) -> Cached<Value>? {
    do { return try await worker.read() } catch { throw FileCacheError(file: file, operation: .read, reason: error) }
  }

  /// Replaces the value.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``FileCacheError`` if the value can't be encoded or written. The previous value is intact then.
  public func write(_ value: Value) async throws(FileCacheError) { try await write(value, age: .zero) }

  /// Replaces the value with one that isn't new.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - age: How old the value is. A negative age counts as zero.
  /// - Throws: ``FileCacheError`` if the value can't be encoded or written. The previous value is intact then.
  public func write(_ value: Value, age: Duration) async throws(FileCacheError) {
    do { try await worker.write(value, age: max(age, .zero)) } catch {
      throw FileCacheError(file: file, operation: .write, reason: error)
    }
  }

  /// Removes the file, and the temporary file of a write that was killed.
  ///
  /// Does nothing if there is neither.
  ///
  /// - Throws: ``FileCacheError`` if a file can't be removed.
  public func clear() async throws(FileCacheError) {
    do { try await worker.clear() } catch { throw FileCacheError(file: file, operation: .clear, reason: error) }
  }
}

extension FileCache: CustomStringConvertible {
  /// The type and the file, for logs: `FileCache<Int>(/home/me/numbers.json)`.
  public var description: String { "FileCache<\(Value.self)>(\((file.systemPath ?? file.absoluteString).onOneLine))" }
}
