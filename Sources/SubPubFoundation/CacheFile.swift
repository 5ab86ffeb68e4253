import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is replaced as a whole, and shared with other processes that do the same.
///
/// Its operations block the thread.
struct CacheFile: Sendable {
  let path: String
  let folder: String
  /// The largest allowed size in bytes.
  let sizeLimit: Int
  /// Waits until the disk has stored an open file; another function in tests, which can't cut the power.
  var synchronize: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }
  /// The path of the file that is being written.
  ///
  /// The name is always the same, so files that killed processes leave behind don't accumulate.
  var temporary: String { path + Self.temporarySuffix }
  /// The path of the file that is locked while the file is replaced or removed.
  ///
  /// It is never removed; otherwise, two processes could each lock a different file of that name.
  var lock: String { path + Self.lockSuffix }

  init(path: String, sizeLimit: Int) {
    self.path = path
    self.sizeLimit = sizeLimit
    folder = Self.folder(of: path)
  }

  /// Reads the file; returns nil if there is none.
  ///
  /// Takes no lock, because every file with this name is complete.
  func contents() throws(FileCacheError.Reason) -> Data? {
    do throws(FileCacheError.Reason) {
      // A pipe without a writer would block `open`.
      return try FileDescriptor(path, O_RDONLY | O_NONBLOCK).contents(upTo: sizeLimit)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Replaces the file; if it throws, the previous file is still there.
  func replace(with data: Data) throws(FileCacheError.Reason) {
    guard data.count <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
    do throws(FileCacheError.Reason) {
      try whileLocked { () throws(FileCacheError.Reason) in try exchange(for: data) }
    } catch {
      guard error.isMissing else { throw error }
      try Self.makeFolder(folder)
      try whileLocked { () throws(FileCacheError.Reason) in try exchange(for: data) }
    }
  }

  /// Removes the file, and the temporary file that a killed process left behind.
  ///
  /// If there is neither, it creates nothing, not even the lock.
  func remove() throws(FileCacheError.Reason) {
    // In this order, so that a file that is renamed in between is seen. A writer that has no temporary file yet comes
    // after the clear.
    if Self.isMissing(temporary), Self.isMissing(path) { return }
    do throws(FileCacheError.Reason) {
      try whileLocked { () throws(FileCacheError.Reason) in try removeBoth() }
    } catch {
      // The folder was removed in the meantime.
      guard error.isMissing else { throw error }
    }
  }
}

extension CacheFile {
  /// Waits until no one else holds the lock, and runs `body` while holding it.
  private func whileLocked(
    _ body: () throws(FileCacheError.Reason) -> Void
  ) throws(FileCacheError.Reason) {
    let descriptor = try FileDescriptor(lock, O_RDWR | O_CREAT | O_NOFOLLOW)
    try descriptor.lock()
    defer { descriptor.unlock() }
    try body()
  }

  private func exchange(for data: Data) throws(FileCacheError.Reason) {
    // Opened first, so that nothing can fail once the new file has its name.
    let parent = try FileDescriptor(folder, O_RDONLY | O_DIRECTORY)
    do throws(FileCacheError.Reason) {
      // An existing file would keep its mode, and a pipe would block `open`.
      try Self.unlinkIfPresent(temporary)
      let descriptor = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL)
      try descriptor.write(data)
      try descriptor.synchronize(by: synchronize)
      guard unsafe rename(temporary, path) == 0 else { throw .failed(to: "rename", temporary) }
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    // If this fails, a power failure may bring back the old file, complete; throwing would claim that it is there now.
    try? parent.synchronizeFolder(by: synchronize)
  }

  private func removeBoth() throws(FileCacheError.Reason) {
    // Both are removed, even if the first attempt fails: each may contain data to be forgotten.
    let results = [path, temporary].map { path in
      Result { () throws(FileCacheError.Reason) in try Self.unlinkIfPresent(path) }
    }
    for result in results { try result.get() }
    try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).synchronizeFolder(by: synchronize)
  }

  private static func unlinkIfPresent(_ path: String) throws(FileCacheError.Reason) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .failed(to: "remove", path) }
  }

  /// Returns whether there is no file; a dangling link counts as a file.
  private static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) != 0 && errno == ENOENT
  }

  /// Returns the path of the folder.
  ///
  /// Searches the bytes, because a name that begins with a combining mark forms one `Character` with the preceding
  /// slash.
  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Creates a folder and all missing folders above it, for their owner only.
  private static func makeFolder(_ path: String) throws(FileCacheError.Reason) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let failure = FileCacheError.Reason.failed(to: "create the folder", path)
    let above = folder(of: path)
    guard failure.isMissing, above != path else { throw failure }
    try makeFolder(above)
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .failed(to: "create the folder", path) }
  }
}

/// The format of a cache's file.
enum FileCacheFormat {
  static let name = "SubPub cache"
  static let version = 1
  /// No file can have been written so late, in seconds since 1970: the beginning of the year 10000.
  static let firstFutureTime = 253_402_300_800.0
  /// The largest allowed size in bytes: 256 MiB.
  static let sizeLimit = 256 << 20
}
