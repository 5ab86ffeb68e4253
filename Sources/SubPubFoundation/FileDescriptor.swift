import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open file or folder; closed at the end of its life.
struct FileDescriptor: ~Copyable {
  /// Bytes.
  private static let pieceSize = 1 << 20

  private let path: String
  private let number: Int32

  /// A file that is made here is for its owner only. Not inherited by programs that this one starts.
  init(_ path: String, _ flags: Int32) throws(FileCacheError.Reason) {
    self.path = path
    number = try Self.retrying("open", path) { unsafe open(path, flags | O_CLOEXEC, 0o600) }
  }

  deinit { _ = close(number) }

  /// Everything from here to the end of a regular file, if that isn't more than the limit.
  func contents(upTo limit: Int) throws(FileCacheError.Reason) -> Data {
    var status = stat()
    try Self.retrying("look at", path) { unsafe fstat(number, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
    var data = Data()
    // In pieces: a file with holes may say that it is larger than the memory.
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = try Self.retrying("read", path) { unsafe read(number, &buffer, buffer.count) }
      if count == 0 { return data }
      // It may grow meanwhile.
      guard count <= limit - data.count else { throw .tooLarge(limit: limit) }
      data.append(contentsOf: buffer[..<count])
    }
  }

  /// All of it, in as many steps as the system wants.
  func write(_ data: Data) throws(FileCacheError.Reason) {
    let bytes = [UInt8](data)
    var written = 0
    while written < bytes.count {
      written += try Self.retrying("write", path) {
        unsafe bytes[written...].withUnsafeBytes { unsafe Foundation.write(number, $0.baseAddress, $0.count) }
      }
    }
  }

  /// Returns when the disk has it.
  func synchronize() throws(FileCacheError.Reason) {
    try Self.retrying("sync", path) { fsync(number) }
  }

  /// The same for the names in a folder. Where the file system has no such thing, there is nothing to wait for.
  func synchronizeFolder() throws(FileCacheError.Reason) {
    do throws(FileCacheError.Reason) {
      try synchronize()
    } catch {
      guard case .system(_, _, EINVAL) = error else { throw error }
    }
  }

  /// Waits until nobody else has the file locked. The lock ends when the descriptor is closed, at the latest by the end
  /// of the process.
  func lock() throws(FileCacheError.Reason) {
    try Self.retrying("lock", path) { flock(number, LOCK_EX) }
  }

  /// Now, also when another process has inherited the descriptor.
  func unlock() { _ = flock(number, LOCK_UN) }

  /// Again for as long as a signal interrupts the call.
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
