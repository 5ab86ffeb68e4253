#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An address to listen at.
struct WebAddress: Equatable, CustomStringConvertible {
  private let host: String
  private let port: UInt16

  private init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Parses the value of `--serve`: `PORT` or `HOST:PORT`, where the host is a number such as 0.0.0.0.
  ///
  /// Without a host, only this machine can connect.
  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var number = in_addr()
    let host = parts.count > 1 && parts[0] != "localhost" ? String(parts[0]) : "127.0.0.1"
    guard (1...2).contains(parts.count), let port = parts.last.flatMap({ UInt16($0) }),
      unsafe inet_pton(AF_INET, host, &number) == 1
    else { throw .notAnAddress(text) }
    self.init(host: host, port: port)
  }

  /// Opens a socket that listens; with port 0, the system chooses one.
  func listen() throws(CannotListen) -> (socket: Int32, address: WebAddress) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, kind, 0)
    guard listener >= 0 else { throw CannotListen(address: self, reason: .last) }
    var yes: Int32 = 1
    _ = unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    _ = unsafe inet_pton(AF_INET, host, &address.sin_addr)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(listener, address, length) == 0 && systemListen(listener)
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isListening else {
      let reason = SystemError.last
      close(listener)
      throw CannotListen(address: self, reason: reason)
    }
    return (listener, WebAddress(host: host, port: UInt16(bigEndian: address.sin_port)))
  }

  var description: String { "http://\(host):\(port)/" }
}

/// An address that is taken, or isn't this machine's.
struct CannotListen: Error, CustomStringConvertible {
  let address: WebAddress
  let reason: SystemError

  var description: String { "cannot serve \(address): \(reason)" }
}

private func systemListen(_ socket: Int32) -> Bool { listen(socket, 128) == 0 }
