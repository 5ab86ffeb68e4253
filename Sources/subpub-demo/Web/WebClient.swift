import SubPub
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A connection to a client of the web server.
///
/// Its functions run on the server's loop, and wait for the socket without holding up the loop.
final class WebClient: Hashable, Sendable {
  enum Status: String, Error {
    case ok = "200 OK"
    case badRequest = "400 Bad Request"
    case notFound = "404 Not Found"
    case notAllowed = "405 Method Not Allowed"
    case timeout = "408 Request Timeout"
    case tooLarge = "431 Request Header Fields Too Large"
    case unavailable = "503 Service Unavailable"
  }

  struct Request {
    let path: Substring
    /// The last event that a client that comes back has received.
    var lastEvent: PublicationID?
  }

  private let socket: Int32
  private let loop: EventLoop
  /// For logs and metrics.
  let number: Int
  private let isClosed = Mutex(false)

  private static let last = Atomic<Int>(0)
  private static let longestRequest = 8_192
  /// How long a request, and each step of an answer, may take.
  private static let patience = Duration.seconds(5)

  /// Accepts a client; returns nil if nobody wants to connect.
  init?(from listener: Int32, _ loop: EventLoop) {
    socket = accept(listener, nil, nil)
    guard socket >= 0 else { return nil }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    // Otherwise, the system keeps megabytes for a client that doesn't read, before the server notices.
    var size: Int32 = 65_536
    _ = unsafe setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    self.loop = loop
    number = Self.last.add(1, ordering: .relaxed).newValue
  }

  /// Closes the connection.
  func end() {
    isClosed.withLock { isClosed in
      if !isClosed { close(socket) }
      isClosed = true
    }
  }

  /// Breaks the connection, so that whoever waits for the client goes on.
  func abort() { isClosed.withLock { if !$0 { shutdown(socket, Int32(SHUT_RDWR)) } } }

  // MARK: Requests

  /// Reads the head of a request; there is no body.
  func request() async -> Result<Request, Status> {
    let deadline = ContinuousClock.now + Self.patience
    var received: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 2_048)
    while true {
      let count = unsafe read(socket, &buffer, buffer.count)
      if count > 0 {
        received += buffer[..<count]
        if received.count > Self.longestRequest { return .failure(.tooLarge) }
        let head = String(decoding: received, as: UTF8.self)
        if let end = head.firstRange(of: "\r\n\r\n") { return Self.parse(head[..<end.lowerBound]) }
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        return .failure(.badRequest)
      } else if !(await loop.wait(for: socket, Int32(POLLIN), until: deadline)) {
        return .failure(.timeout)
      }
      if ContinuousClock.now > deadline { return .failure(.timeout) }
    }
  }

  private static func parse(_ head: Substring) -> Result<Request, Status> {
    let lines = head.split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return .failure(.badRequest) }
    guard words[0] == "GET" else { return .failure(.notAllowed) }
    let parts = words[1].split(separator: "?", maxSplits: 1)
    var request = Request(path: parts.first ?? "/")
    // The first connection of a page can't set the header.
    if parts.count > 1, parts[1].hasPrefix("after=") {
      request.lastEvent = PublicationID(String(parts[1].dropFirst(6)))
    }
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "last-event-id" else { continue }
      request.lastEvent = PublicationID(parts[1].trimmingPrefix { $0 == " " }.description)
    }
    return .success(request)
  }

  // MARK: Answers

  func answer(_ status: Status, _ body: String? = nil, type: String = "text/plain") async {
    let body = body ?? status.rawValue + "\n"
    _ = await send(Self.head(status, type: type, "Content-Length: \(body.utf8.count)\r\n") + body)
  }

  static func head(_ status: Status, type: String, _ more: String = "") -> String {
    "HTTP/1.1 \(status.rawValue)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\nConnection: close\r\n\(more)\r\n"
  }

  /// Sends text; returns false if the client takes nothing for too long, or has gone.
  func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  /// Sends bytes; returns false if the client takes nothing for too long, or has gone.
  func send(_ bytes: [UInt8]) async -> Bool {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        guard await loop.wait(for: socket, Int32(POLLOUT), until: .now + Self.patience) else { return false }
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  static func == (left: WebClient, right: WebClient) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
