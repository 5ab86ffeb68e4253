import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is replaced as a whole, and shared with other processes that do the same. Blocks its thread.
struct CacheFile: Sendable {
  let path: String
  let folder: String
  /// How many bytes it may have.
  let sizeLimit: Int
  /// What is being written. The name is always the same: what a killed process leaves behind doesn't add up.
  var temporary: String { path + Self.temporarySuffix }
  /// Whoever replaces or removes the file holds a lock on this one. It is never removed: then two processes could each
  /// have locked one of that name.
  var lock: String { path + Self.lockSuffix }

  init(path: String, sizeLimit: Int) {
    self.path = path
    self.sizeLimit = sizeLimit
    folder = Self.folder(of: path)
  }

  /// Nil if there is no file. Takes no lock: whatever has the name is whole.
  func contents() throws(FileCacheError.Reason) -> Data? {
    do throws(FileCacheError.Reason) {
      // A pipe without a writer would block `open`.
      return try FileDescriptor(path, O_RDONLY | O_NONBLOCK).contents(upTo: sizeLimit)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Puts the data in the file's place. When it throws, what was there still is.
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

  /// Removes the file, and what a killed process left behind. Makes nothing, not even the lock, if there is neither.
  func remove() throws(FileCacheError.Reason) {
    // In this order: what is renamed in between is seen. A writer that has no temporary file yet comes after the clear.
    if Self.isMissing(temporary), Self.isMissing(path) { return }
    do throws(FileCacheError.Reason) {
      try whileLocked { () throws(FileCacheError.Reason) in try removeBoth() }
    } catch {
      // The folder went meanwhile.
      guard error.isMissing else { throw error }
    }
  }
}

extension CacheFile {
  /// Waits until nobody else holds the lock, and holds it while `body` runs.
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
      // A leftover would keep its mode, and a pipe would block `open`.
      try Self.unlinkIfPresent(temporary)
      let descriptor = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL)
      try descriptor.write(data)
      try descriptor.synchronize()
      guard unsafe rename(temporary, path) == 0 else { throw .failed(to: "rename", temporary) }
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    // If it fails, a power cut may bring the old file back, whole; to throw would say that it is there now.
    try? parent.synchronizeFolder()
  }

  private func removeBoth() throws(FileCacheError.Reason) {
    // Both are tried: each may hold what is to be forgotten.
    let results = [path, temporary].map { path in
      Result { () throws(FileCacheError.Reason) in try Self.unlinkIfPresent(path) }
    }
    for result in results { try result.get() }
    try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).synchronizeFolder()
  }

  private static func unlinkIfPresent(_ path: String) throws(FileCacheError.Reason) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .failed(to: "remove", path) }
  }

  /// A link that leads nowhere is there.
  private static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) != 0 && errno == ENOENT
  }

  /// Searches the bytes: a name that begins with a combining mark makes one `Character` with the slash before it.
  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// For its owner only, and so is every folder above it that is missing.
  private static func makeFolder(_ path: String) throws(FileCacheError.Reason) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let failure = FileCacheError.Reason.failed(to: "make the folder", path)
    let above = folder(of: path)
    guard failure.isMissing, above != path else { throw failure }
    try makeFolder(above)
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .failed(to: "make the folder", path) }
  }
}
