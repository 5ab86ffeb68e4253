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
  /// What is being written. The name is always the same: what a killed process leaves behind doesn't add up.
  var temporary: String { path + ".new" }
  /// Whoever replaces or removes the file holds a lock on this one. It is never removed: then two processes could each
  /// have locked one of that name.
  var lock: String { path + ".lock" }

  init(path: String) {
    // A slash at the end would name a folder.
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.path = path
    folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Nil if there is no file. Takes no lock: whatever has the name is whole.
  func contents() throws(FileCacheError.Reason) -> Data? {
    do throws(FileCacheError.Reason) {
      // A pipe without a writer would block `open`.
      return try FileDescriptor(path, O_RDONLY | O_NONBLOCK).contents()
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// Puts the data in the file's place. When it throws, what was there still is.
  func replace(with data: Data) throws(FileCacheError.Reason) {
    do throws(FileCacheError.Reason) {
      try whileLocked { () throws(FileCacheError.Reason) in try exchange(for: data) }
    } catch {
      guard error.isMissing else { throw error }
      try Self.makeFolder(folder)
      try whileLocked { () throws(FileCacheError.Reason) in try exchange(for: data) }
    }
  }

  /// Removes the file, and what a killed process left behind.
  func remove() throws(FileCacheError.Reason) {
    do throws(FileCacheError.Reason) {
      try whileLocked { () throws(FileCacheError.Reason) in try removeBoth() }
    } catch {
      // There isn't even a folder.
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
      let descriptor = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
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
    let failures = [path, temporary].compactMap { path in
      unsafe unlink(path) == 0 || errno == ENOENT ? nil : FileCacheError.Reason.failed(to: "remove", path)
    }
    if let failure = failures.first { throw failure }
    try FileDescriptor(folder, O_RDONLY | O_DIRECTORY).synchronizeFolder()
  }

  /// For its owner only, and so is every folder above it that is missing.
  private static func makeFolder(_ path: String) throws(FileCacheError.Reason) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let failure = FileCacheError.Reason.failed(to: "make the folder", path)
    let above = CacheFile(path: path).folder
    guard failure.isMissing, above != path else { throw failure }
    try makeFolder(above)
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .failed(to: "make the folder", path) }
  }
}
