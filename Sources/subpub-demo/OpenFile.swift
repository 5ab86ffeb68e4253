#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is closed when nobody holds it any more.
struct OpenFile: ~Copyable, Sendable {
  private let descriptor: Int32

  /// Opens without waiting for the other end of a named pipe, and then lets reads and writes wait as usual.
  private init(_ path: String, _ flags: Int32) throws(SystemError) {
    var opened: Int32
    repeat {
      opened = unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o666)
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .last }
    guard fcntl(opened, F_SETFL, 0) == 0 else {
      let failure = SystemError.last
      close(opened)
      throw failure
    }
    descriptor = opened
  }

  deinit { close(descriptor) }

  static func creating(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
  }

  static func contents(of path: String) throws(SystemError) -> String {
    let file = try OpenFile(path, O_RDONLY)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(file.descriptor, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk.prefix(count)
      } else if count == 0 {
        return String(decoding: bytes, as: UTF8.self)
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  func append(_ text: String) throws(SystemError) { try Self.send(text, to: descriptor) }

  /// Cuts the file back to what it was, for who wrote half a line; what cannot be cut (a pipe, a device) stays.
  func cut(to length: Int) { ftruncate(descriptor, off_t(length)) }

  /// Writes all of it: the system may take a part at a time, be interrupted, or ask to come back later.
  static func send(_ text: String, to descriptor: Int32) throws(SystemError) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw .last
      }
    }
  }
}
