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
  private let socket: Int32
  private let loop: EventLoop
  /// For logs and metrics.
  let number: Int
  private let isClosed = Mutex(false)
  /// Who sends, and who waits for that.
  private let senders = Mutex<[CheckedContinuation<Void, Never>]>([])

  private static let last = Atomic<Int>(0)
  private static let longestRequest = 8_192
  /// How long a request, and each step of an answer, may take.
  private static let patience = Duration.seconds(5)

  /// Accepts a client; returns nil if nobody wants to connect.
  ///
  /// - Throws: The system's error if it can't, because it has no descriptor left, for example.
  static func accept(from listener: Int32, _ loop: EventLoop) throws(SystemError) -> WebClient? {
    while true {
      let socket = systemAccept(listener)
      if socket >= 0 { return WebClient(socket, loop) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      default: throw .last
      }
    }
  }

  private init(_ socket: Int32, _ loop: EventLoop) {
    self.socket = socket
    self.loop = loop
    number = Self.last.add(1, ordering: .relaxed).newValue
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    // Otherwise, the system keeps megabytes for a client that doesn't read, before the server notices.
    set(SOL_SOCKET, SO_SNDBUF, 65_536)
    // A machine that loses its power or its network says nothing, so it is asked.
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    #if !canImport(Darwin)
      set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 15)
      set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
      set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    #endif
  }

  private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
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

  /// Reads a request.
  func request() async -> WebRequest {
    let deadline = ContinuousClock.now + Self.patience
    var received: [UInt8] = []
    var request: WebRequest?
    var buffer: [UInt8] = Array(repeating: 0, count: 2_048)
    while true {
      let count = unsafe read(socket, &buffer, buffer.count)
      if count > 0 {
        // The head is parsed once, however slowly the body comes.
        if request == nil {
          received += buffer[..<count]
          if received.count > Self.longestRequest { return WebRequest(received, refusedWith: .tooLarge) }
          request = WebRequest(received)
        } else {
          request?.addToBody(buffer[..<count])
        }
        if let request, request.isComplete { return request }
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        return WebRequest(received, refusedWith: .badRequest)
      } else if !(await loop.wait(for: socket, Int32(POLLIN), until: deadline)) {
        return WebRequest(received, refusedWith: .timeout)
      }
      if ContinuousClock.now > deadline { return WebRequest(received, refusedWith: .timeout) }
    }
  }

  /// Waits until the client has closed the connection, or it is broken; drops what the client still sends.
  func waitForEnd() async {
    var buffer: [UInt8] = Array(repeating: 0, count: 2_048)
    while await loop.wait(for: socket, Int32(POLLIN)) {
      let count = unsafe read(socket, &buffer, buffer.count)
      if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return }
    }
  }

  // MARK: Answers

  func answer(
    _ request: WebRequest, _ status: WebStatus, _ body: String? = nil, type: String = "text/plain", _ more: String = ""
  ) async {
    let body = body ?? (status == .noContent ? "" : status.rawValue + "\n")
    let allowed = status == .notAllowed ? "Allow: \(request.allowedMethods)\r\n" : ""
    let length = status == .noContent ? "" : "Content-Length: \(body.utf8.count)\r\n"
    let head = Self.head(status, type: type, more + allowed + length)
    _ = await send(request.isHead ? head : head + body)
  }

  static func head(_ status: WebStatus, type: String, _ more: String = "") -> String {
    "HTTP/1.1 \(status.rawValue)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\nConnection: close\r\n\(more)\r\n"
  }

  /// Sends text; returns false if the client takes nothing for too long, or has gone.
  func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  /// Sends bytes; returns false if the client takes nothing for too long, or has gone.
  ///
  /// If two tasks send, one waits for the other, so that no event stands in the middle of another. If a part can't be
  /// sent, the connection is broken, so that nothing follows that part.
  func send(_ bytes: [UInt8]) async -> Bool {
    await beginSending()
    defer { endSending() }
    let isSent = await write(bytes[...])
    if !isSent { abort() }
    return isSent
  }

  private func write(_ bytes: ArraySlice<UInt8>) async -> Bool {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(socket, $0.baseAddress, $0.count) }
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

  private func beginSending() async {
    await withCheckedContinuation { continuation in
      let isFirst = senders.withLock { senders in
        senders.append(continuation)
        return senders.count == 1
      }
      if isFirst { continuation.resume() }
    }
  }

  private func endSending() {
    let next = senders.withLock { senders in
      senders.removeFirst()
      return senders.first
    }
    next?.resume()
  }

  static func == (left: WebClient, right: WebClient) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

private func systemWrite(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(socket, bytes, count)
}
