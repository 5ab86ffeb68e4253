#if Redis
  import Foundation
  import SubPub
  import SubPubRedis

  /// A socket that accepts connections and does with them what a test says, on a thread for each.
  final class RawServer: Sendable {
    private let path: String
    private let listener: Int32
    private let open: Locked<Set<Int32>>

    /// How many connections were accepted.
    let accepted = Locked(0)

    /// Makes a Unix socket; the descriptor of each connection is among the open ones until `serve` returns.
    convenience init(
      at path: String? = nil, open: Locked<Set<Int32>> = Locked([]), _ serve: @escaping @Sendable (Int32) -> Void
    ) throws {
      let path = path ?? "/tmp/subpub-\(UUID().uuidString.prefix(8))"
      let listener = Self.socket()
      guard listener >= 0, unsafe Self.withAddress(of: path, { unsafe bind(listener, $0, $1) }) == 0 else {
        throw POSIXError(.EIO)
      }
      try self.init(listener: listener, path: path, open: open, serve)
    }

    /// Takes a socket that is bound to an address.
    init(
      listener: Int32, path: String = "", open: Locked<Set<Int32>> = Locked([]),
      _ serve: @escaping @Sendable (Int32) -> Void
    ) throws {
      (self.path, self.open, self.listener) = (path, open, listener)
      guard listen(listener, 1_024) == 0 else { throw POSIXError(.EIO) }
      Thread.detachNewThread { [listener, open, accepted] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          accepted.withLock { $0 += 1 }
          open.withLock { $0.formUnion([client]) }
          Thread.detachNewThread {
            serve(client)
            open.withLock { $0.subtract([client]) }
            close(client)
          }
        }
      }
    }

    deinit {
      cut()
      open.withLock { $0 = [] }
      _ = shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
      if !path.isEmpty { unsafe unlink(path) }
    }

    /// An endpoint whose limits are the same, unless that of connecting is another one.
    func endpoint(timeout: Duration = .seconds(5), connectTimeout: Duration? = nil) -> RedisEndpoint {
      var endpoint = RedisEndpoint(unixSocket: path, timeout: timeout)
      endpoint.connectTimeout = connectTimeout ?? timeout
      return endpoint
    }

    /// Ends all connections.
    func cut() { open.withLock { for each in $0 { _ = shutdown(each, Int32(SHUT_RDWR)) } } }

    /// A server that reads and never answers.
    static func silent() throws -> RawServer { try RawServer { client in while !receive(from: client).isEmpty {} } }

    /// Returns what arrives next; nothing if the connection has ended.
    static func receive(from source: Int32) -> [UInt8] {
      unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { bytes, count in
        count = unsafe max(0, recv(source, bytes.baseAddress, bytes.count, 0))
      }
    }

    /// Sends bytes; returns false if the connection has ended.
    @discardableResult
    static func send(_ bytes: some Collection<UInt8>, to target: Int32) -> Bool {
      var rest = Array(bytes)
      while !rest.isEmpty {
        let count = unsafe Foundation.send(target, rest, rest.count, Int32(MSG_NOSIGNAL))
        if count <= 0 { return false }
        rest.removeFirst(count)
      }
      return true
    }

    /// Connects to a Unix socket; nil if nobody listens there.
    static func connection(to path: String) -> Int32? {
      let descriptor = socket()
      if unsafe withAddress(of: path, { unsafe connect(descriptor, $0, $1) }) == 0 { return descriptor }
      close(descriptor)
      return nil
    }

    private static func socket() -> Int32 {
      Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress<Result>(
      of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      return unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
  }

  /// A Unix socket in front of a server, whose connections can be cut, and stall.
  ///
  /// What its mode lets pass, a closure decides on.
  final class Proxy: Sendable {
    enum Mode { case passes, stallsReplies, stalls }

    /// What has arrived at the proxy.
    struct Piece {
      let isReply: Bool
      /// Whether `XREAD` has been sent over the connection.
      let isReading: Bool
      var bytes: [UInt8]

      /// Whether the bytes contain a text.
      func contains(_ text: String) -> Bool { bytes.contains(text.utf8) }
    }

    enum Verdict {
      case passes([UInt8])
      /// So many bytes pass at a time, with a pause after them.
      case trickles(everyMilliseconds: UInt32, by: Int = 1)
      /// Nothing arrives, and the closure is asked again later.
      case waits
    }

    /// What its connections have in common.
    private struct Link: Sendable {
      let script: @Sendable (Piece) -> Verdict
      let open = Locked<Set<Int32>>([])
      let mode = Locked(Mode.passes)

      /// Copies in one direction until the connection ends.
      func copy(from source: Int32, to target: Int32, isReply: Bool, _ isReading: Locked<Bool>) {
        while true {
          // The end, too, waits for as long as it has to; it is an empty piece.
          let bytes = RawServer.receive(from: source)
          if !isReply, bytes.prefix(1_000).contains("XREAD".utf8) { isReading.withLock { $0 = true } }
          let piece = Piece(isReply: isReply, isReading: isReading.withLock { $0 }, bytes: bytes)
          guard pass(piece, from: source, to: target), !bytes.isEmpty else { break }
        }
        for each in [target, source] { _ = shutdown(each, Int32(SHUT_RDWR)) }
      }

      /// Passes on what it may, as soon as it may; returns false if the connection has ended.
      private func pass(_ piece: Piece, from source: Int32, to target: Int32) -> Bool {
        while open.withLock({ $0.contains(source) }) {
          switch verdict(on: piece) {
          case .passes(let bytes): return RawServer.send(bytes, to: target)
          case .trickles(let pause, let count):
            return stride(from: 0, to: piece.bytes.count, by: count).allSatisfy { start in
              defer { usleep(pause * 1_000) }
              return RawServer.send(piece.bytes[start...].prefix(count), to: target)
            }
          case .waits: usleep(1_000)
          }
        }
        return false
      }

      private func verdict(on piece: Piece) -> Verdict {
        switch mode.withLock({ $0 }) {
        case .stallsReplies where piece.isReply, .stalls: .waits
        default: script(piece)
        }
      }
    }

    private let server: RedisServer
    private let link: Link
    private let listener: RawServer

    init(
      _ server: RedisServer, at path: String? = nil,
      _ script: @escaping @Sendable (Piece) -> Verdict = { .passes($0.bytes) }
    ) throws {
      let (link, target) = (Link(script: script), server.socket)
      (self.server, self.link) = (server, link)
      listener = try RawServer(at: path, open: link.open) { client in
        guard let server = RawServer.connection(to: target) else { return }
        link.open.withLock { $0.formUnion([server]) }
        let (isReading, replies) = (Locked(false), DispatchGroup())
        replies.enter()
        Thread.detachNewThread {
          link.copy(from: server, to: client, isReply: true, isReading)
          replies.leave()
        }
        link.copy(from: client, to: server, isReply: false, isReading)
        replies.wait()
        link.open.withLock { $0.subtract([server]) }
        close(server)
      }
    }

    func endpoint(timeout: Duration = .seconds(5)) -> RedisEndpoint { listener.endpoint(timeout: timeout) }

    var mode: Mode {
      get { link.mode.withLock { $0 } }
      set { link.mode.withLock { $0 = newValue } }
    }

    /// Ends all connections.
    func cut() { listener.cut() }
  }
#endif
