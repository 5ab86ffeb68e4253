#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file that is closed when the value is destroyed.
struct OpenFile: ~Copyable, Sendable {
  private let descriptor: Int32

  /// Opens a file without waiting for the other end of a named pipe; later reads and writes may block.
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

  static func creating(_ path: String) throws(CannotOpen) -> OpenFile {
    do {
      return try OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC)
    } catch {
      throw CannotOpen(path: path, reason: error)
    }
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

  /// Truncates the file after a line was written only in part; does nothing for a pipe or a device.
  func truncate(to length: Int) { ftruncate(descriptor, off_t(length)) }

  /// Writes the whole text, even if the system writes only a part, is interrupted, or is busy.
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

/// A file that couldn't be written.
struct CannotWrite: Error, CustomStringConvertible {
  let path: String
  let reason: SystemError
  var description: String { "cannot write \(path): \(reason)" }
}

/// A file that couldn't be opened.
struct CannotOpen: Error, CustomStringConvertible {
  let path: String
  let reason: SystemError
  var description: String { "cannot open \(path): \(reason)" }
}

/// An error of the operating system, in its own words: `no such file or directory`.
struct SystemError: Error, Hashable, CustomStringConvertible {
  let code: Int32

  /// The error of the call that has just failed on this thread.
  static var last: SystemError { SystemError(code: errno) }

  var description: String {
    guard let words = unsafe strerror(code) else { return "error \(code)" }
    let text = unsafe String(cString: words)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
