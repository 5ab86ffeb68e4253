#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file or folder that is watched, at the time when it was last read.
struct WatchedItem: Hashable, Sendable, Codable, CustomStringConvertible, JSONConvertible {
  enum Kind: Hashable, Sendable, Codable {
    case file
    /// A folder with its number of entries, including hidden ones.
    case folder(entries: Int)
    /// A device, a pipe, or a socket.
    case other
  }

  let kind: Kind
  /// The size of the file, or the total size of the files directly in the folder.
  let size: ByteCount
  let modified: Timestamp

  var description: String {
    switch kind {
    case .file: "file of \(size), modified \(modified)"
    case .folder(let entries):
      "folder with \(entries) \(entries == 1 ? "entry" : "entries"), \(size) in its files, modified \(modified)"
    case .other: "neither file nor folder, modified \(modified)"
    }
  }

  var json: String {
    let common = #""size":\#(size.bytes),"modified":\#(JSONText.string("\(modified)"))"#
    return switch kind {
    case .file: #"{"kind":"file",\#(common)}"#
    case .folder(let entries): #"{"kind":"folder","entries":\#(entries),\#(common)}"#
    case .other: #"{"kind":"other",\#(common)}"#
    }
  }
}

/// A reader of a file or folder; a path that doesn't exist is an error for as long as that is true.
struct WatchedItemReader: Reader {
  let path: String

  /// The path from the root, whatever the current folder is.
  var absolutePath: String {
    guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(current) }
    return unsafe String(cString: current) + (path == "." ? "" : "/" + path)
  }

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

  /// Returns the number of entries in the folder, and the total size of its files.
  ///
  /// Subfolders aren't included: that could take minutes.
  private func contents() throws(SystemError) -> (entries: Int, size: ByteCount) {
    guard let folder = unsafe opendir(path) else { throw .last }
    defer { unsafe closedir(folder) }
    guard let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) else { throw SystemError(code: ENOTSUP) }
    var entries = 0
    var size = ByteCount(0)
    while true {
      errno = 0  // `readdir` returns nil both at the end and on errors; only `errno` distinguishes them
      guard let entry = unsafe readdir(folder) else { break }
      // The entry is only as long as its name, so it must not be copied: a `dirent` is longer.
      let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self)
      if unsafe strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
      entries += 1
      var status = stat()
      // An entry that was deleted after `readdir` returned it has no size; the next reading won't count it.
      let isThere = unsafe fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0
      if isThere, status.st_mode & S_IFMT == S_IFREG { size += ByteCount(Int(status.st_size)) }
    }
    if errno != 0 { throw .last }
    return (entries, size)
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
