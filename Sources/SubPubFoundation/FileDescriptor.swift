import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file or folder, closed when the value is destroyed.
struct FileDescriptor: ~Copyable {
  /// The number of bytes to read at a time.
  private static let pieceSize = 1 << 20

  private let path: String
  private let number: Int32

  /// Opens a file or folder; a file that this creates is for its owner only.
  ///
  /// Programs that this one starts don't inherit it.
  init(_ path: String, _ flags: Int32) throws(FileCacheError.Reason) {
    self.path = path
    number = try Self.retrying("open", path) { unsafe open(path, flags | O_CLOEXEC, 0o600) }
  }

  deinit { _ = close(number) }

  /// Reads the rest of a regular file, if it isn't larger than the limit.
  func contents(upTo limit: Int) throws(FileCacheError.Reason) -> Data {
    var status = stat()
    try Self.retrying("get the status of", path) { unsafe fstat(number, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
    var data = Data()
    // In pieces: a sparse file may claim to be larger than the memory.
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = try Self.retrying("read", path) { unsafe read(number, &buffer, buffer.count) }
      if count == 0 { return data }
      // The file may grow in the meantime.
      guard count <= limit - data.count else { throw .tooLarge(limit: limit) }
      data.append(contentsOf: buffer[..<count])
    }
  }

  /// Writes all of the data, in as many steps as the system needs.
  func write(_ data: Data) throws(FileCacheError.Reason) {
    let bytes = [UInt8](data)
    var written = 0
    while written < bytes.count {
      written += try Self.retrying("write", path) {
        unsafe bytes[written...].withUnsafeBytes { unsafe Foundation.write(number, $0.baseAddress, $0.count) }
      }
    }
  }

  /// Waits until the disk has stored everything, with `fsync` or what a test has put in its place.
  func synchronize(by sync: (Int32) -> Int32) throws(FileCacheError.Reason) {
    try Self.retrying("sync", path) { sync(number) }
  }

  /// Waits until the disk has stored the names in a folder.
  ///
  /// Where the file system doesn't support that, there is nothing to wait for.
  func synchronizeFolder(by sync: (Int32) -> Int32) throws(FileCacheError.Reason) {
    do throws(FileCacheError.Reason) {
      try synchronize(by: sync)
    } catch {
      guard case .system(_, _, EINVAL) = error else { throw error }
    }
  }

  /// Waits until no one else has locked the file, and locks it.
  ///
  /// The lock ends when the descriptor is closed, at the latest when the process ends.
  func lock() throws(FileCacheError.Reason) {
    try Self.retrying("lock", path) { flock(number, LOCK_EX) }
  }

  /// Unlocks the file now, even if another process has inherited the descriptor.
  func unlock() { _ = flock(number, LOCK_UN) }

  /// Repeats a call for as long as a signal interrupts it.
  @discardableResult
  private static func retrying<Result: FixedWidthInteger>(
    _ attempt: String, _ path: String, _ call: () -> Result
  ) throws(FileCacheError.Reason) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw .failed(to: attempt, path) }
    }
  }
}
