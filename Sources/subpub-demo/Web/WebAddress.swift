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
  private let number: IPNumber
  private let port: UInt16

  private init(host: String, number: IPNumber, port: UInt16) {
    (self.host, self.number, self.port) = (host, number, port)
  }

  /// Parses the value of `--serve`: `PORT` or `HOST:PORT`, where the host is a number such as 0.0.0.0 or [::1].
  ///
  /// Without a host, only this machine can connect.
  init(_ text: String) throws(UsageError) {
    let colon = text.lastIndex(of: ":")
    let name = colon.map { text[..<$0] } ?? "localhost"
    let host = name == "localhost" ? "127.0.0.1" : String(name)
    guard let number = IPNumber(host), let port = UInt16(colon.map { text[$0...].dropFirst() } ?? text[...]) else {
      throw .notAnAddress(text)
    }
    self.init(host: host, number: number, port: port)
  }

  /// Whether a server at this address is meant by a request for a host, with or without a port.
  ///
  /// Whoever serves only this machine is asked by a program on it, and that may be a browser with a page from
  /// elsewhere, whose name its owner has pointed at this machine. Such a page must not read what is served here.
  func isMeant(byRequestFor authority: String?) -> Bool {
    guard number.isLoopback, let authority else { return true }
    let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
    let colon = end ?? authority.firstIndex(of: ":") ?? authority.endIndex
    let (name, rest) = (String(authority[..<colon]), authority[colon...])
    guard rest.isEmpty || rest == ":" || rest == ":\(port)" else { return false }
    return name.lowercased() == "localhost" || IPNumber(name) == number
  }

  /// Opens a socket that listens; with port 0, the system chooses one.
  func listen() throws(CannotListen) -> (socket: Int32, address: WebAddress) {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = socket(number.family, kind, 0)
    guard listener >= 0 else { throw CannotListen(address: self, reason: .last) }
    var yes: Int32 = 1
    _ = unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    guard let chosen = number.family == AF_INET ? start(listener, at: shortAddress) : start(listener, at: longAddress)
    else {
      let reason = SystemError.last
      close(listener)
      throw CannotListen(address: self, reason: reason)
    }
    return (listener, WebAddress(host: host, number: number, port: chosen))
  }

  private var shortAddress: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: number.bytes) }
    return address
  }

  private var longAddress: sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: number.bytes) }
    return address
  }

  /// Returns the port; nil if that fails.
  private func start<Address>(_ listener: Int32, at address: Address) -> UInt16? {
    var address = address
    var length = socklen_t(MemoryLayout<Address>.size)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(listener, address, length) == 0 && systemListen(listener)
          && getsockname(listener, address, &length) == 0
      }
    }
    // Both kinds of addresses have the port in the same place.
    guard isListening, let place = MemoryLayout<sockaddr_in>.offset(of: \.sin_port) else { return nil }
    return UInt16(
      bigEndian: unsafe withUnsafeBytes(of: &address) { unsafe $0.load(fromByteOffset: place, as: UInt16.self) })
  }

  var description: String { "http://\(host):\(port)/" }
}

/// The number of a machine, of four or sixteen bytes.
private struct IPNumber: Equatable {
  let bytes: [UInt8]

  /// Parses a number, which stands in brackets if it is of sixteen bytes.
  init?(_ text: String) {
    let isLong = text.hasPrefix("[") && text.hasSuffix("]")
    var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
    let digits = isLong ? String(text.dropFirst().dropLast()) : text
    guard unsafe inet_pton(isLong ? AF_INET6 : AF_INET, digits, &bytes) == 1 else { return nil }
    self.bytes = bytes
  }

  var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

  /// Whether only this machine can connect; a short number may be written as a long one.
  var isLoopback: Bool {
    let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
    let short = bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
    return short.count == 4 ? short[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
  }
}

/// An address that is taken, or isn't this machine's.
struct CannotListen: Error, CustomStringConvertible {
  let address: WebAddress
  let reason: SystemError

  var description: String { "cannot serve \(address): \(reason)" }
}

/// Listens with room for a burst of clients: when that is full, the others wait for seconds.
private func systemListen(_ socket: Int32) -> Bool { listen(socket, max(SOMAXCONN, 4_096)) == 0 }
