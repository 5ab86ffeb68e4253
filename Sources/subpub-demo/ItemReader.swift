#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Looks at a file or folder. A path that leads nowhere is an error, and stops being one when it leads somewhere.
struct ItemReader: Reader {
  let path: String

  func read() async throws -> WatchedItem {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
    let modified = Timestamp(status.modification)
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      let (entries, size) = try contents()
      return WatchedItem(kind: .folder(entries: entries), size: size, modified: modified)
    case S_IFREG:
      return WatchedItem(kind: .file, size: ByteCount(Int(status.st_size)), modified: modified)
    default:
      return WatchedItem(kind: .other, size: ByteCount(0), modified: modified)
    }
  }

  /// How many entries the folder has, and the sizes of the files among them. It doesn't look into folders in it:
  /// that could take minutes.
  private func contents() throws(SystemError) -> (entries: Int, size: ByteCount) {
    guard let folder = unsafe opendir(path) else { throw .last }
    defer { unsafe closedir(folder) }
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { throw SystemError(code: ENOTSUP) }
    var entries = 0
    var size = 0
    while true {
      errno = 0  // `readdir` answers nil for the end and for an error, and tells them apart only by this
      guard let entry = unsafe readdir(folder) else { break }
      // The entry is only as long as its name, so it must not be copied: a `dirent` is longer.
      let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
      if unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
      entries += 1
      var status = stat()
      // An entry that was deleted since `readdir` saw it has no size any more: the next reading won't count it.
      let isThere = unsafe fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0
      if isThere, status.st_mode & S_IFMT == S_IFREG { size += Int(status.st_size) }
    }
    if errno != 0 { throw .last }
    return (entries, ByteCount(size))
  }
}

extension stat {
  fileprivate var modification: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
