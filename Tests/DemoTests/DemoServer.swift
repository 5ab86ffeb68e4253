#if os(Linux)
  import Foundation
  import Support
  import Testing

  /// A run of the example program with its web server.
  struct DemoServer {
    let demo: Demo
    /// As in a URL.
    let host: String
    let port: UInt16

    /// Starts it at an address whose port the system chooses, by way of a command if one is given.
    init(_ arguments: [String] = [], at host: String? = nil, by command: [String] = []) async throws {
      demo = try Demo(["--serve", host.map { "\($0):0" } ?? "0"] + arguments, by: command)
      let started = await demo.wait { printed in printed.lines.contains { $0.hasPrefix("serving ") } }
      let line = try #require(started.lines.first { $0.hasPrefix("serving http://") })
      let address = line.dropFirst("serving http://".count).dropLast()
      let colon = try #require(address.lastIndex(of: ":"))
      self.host = String(address[..<colon])
      port = try #require(UInt16(address[colon...].dropFirst()))
    }

    /// Connects, and sends a text.
    func send(_ text: String) throws -> WebConnection {
      let isLong = host.hasPrefix("[")
      // No other child may inherit it: it would stay open.
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      let client = socket(isLong ? AF_INET6 : AF_INET, kind, 0)
      let connection = WebConnection(client)
      var (short, long) = (sockaddr_in(), sockaddr_in6())
      (short.sin_family, short.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      short.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      (long.sin6_family, long.sin6_port, long.sin6_addr) = (sa_family_t(AF_INET6), port.bigEndian, in6addr_loopback)
      try #require(isLong ? Self.connect(client, to: long) : Self.connect(client, to: short))
      try connection.send(text)
      return connection
    }

    private static func connect<Address>(_ client: Int32, to address: Address) -> Bool {
      unsafe withUnsafePointer(to: address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(client, $0, socklen_t(MemoryLayout<Address>.size)) == 0
        }
      }
    }

    func request(
      _ path: String, method: String = "GET", _ headers: [String] = ["Host: localhost"]
    ) throws -> WebConnection {
      try send("\(method) \(path) HTTP/1.1\r\n" + headers.map { "\($0)\r\n" }.joined() + "\r\n")
    }

    /// Returns the whole answer, or as much of it as is enough.
    func ask(
      _ path: String, method: String = "GET", _ headers: [String] = ["Host: localhost"],
      until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> String {
      try await request(path, method: method, headers).read(until: isEnough)
    }

    /// Turns the page's switches, and returns the answer.
    func turn(_ body: String, _ headers: [String]) async throws -> String {
      let length = "Content-Length: \(body.utf8.count)"
      let connection = try request("/switches", method: "POST", headers + [length])
      try connection.send(body)
      return try await connection.read()
    }

    /// The identifiers of the next events, for a client that sends these headers.
    func events(_ path: String = "/events", _ headers: [String] = []) async throws -> [(epoch: Substring, number: Int)]
    {
      try await Self.ids(ask(path, ["Host: localhost"] + headers) { Self.ids($0).count >= 2 })
    }

    private static func ids(_ text: String) -> [(epoch: Substring, number: Int)] {
      text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("id: ") }.compactMap { line in
        let parts = line.dropFirst(4).split(separator: "-")
        return parts.count == 2 ? Int(parts[1]).map { (parts[0], $0) } : nil
      }
    }
  }

  /// A connection of a client, which is closed when it is released.
  final class WebConnection: Sendable {
    private let socket: Int32

    init(_ socket: Int32) {
      self.socket = socket
      // A test that gets no answer fails.
      var limit = timeval(tv_sec: TestLimit.seconds, tv_usec: 0)
      _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    func send(_ text: String) throws {
      let bytes = Array(text.utf8)
      try #require(unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// Reads until the end, or until what has arrived is enough, on a thread of its own.
    func read(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async throws -> String {
      try await onOwnThread { Result { try self.received(until: isEnough) } }.get()
    }

    private func received(until isEnough: (String) -> Bool) throws -> String {
      var (received, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
      let deadline = ContinuousClock.now + .seconds(TestLimit.seconds)
      while true {
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        if count == 0 { return String(decoding: received, as: UTF8.self) }
        // The system may drop an answer's end for a client that has sent more than was read.
        if count < 0, errno == ECONNRESET, !received.isEmpty { return String(decoding: received, as: UTF8.self) }
        guard count > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        received += buffer[..<count]
        let text = String(decoding: received, as: UTF8.self)
        if isEnough(text) { return text }
        // A stream that goes on is no answer.
        if ContinuousClock.now > deadline { throw POSIXError(.ETIMEDOUT) }
      }
    }
  }
#endif
