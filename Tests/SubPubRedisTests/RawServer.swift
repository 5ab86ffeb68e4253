#if Redis
  import Foundation
  import SubPub
  import SubPubRedis

  /// A Unix socket that accepts connections and does with them what a test says, on a thread for each.
  final class RawServer: Sendable {
    private let path = "/tmp/subpub-\(UUID().uuidString.prefix(8))"
    private let listener: Int32
    private let state = Locked<Set<Int32>>([])

    /// How many connections were accepted.
    let accepted = Locked(0)

    /// Makes the socket; the descriptor of each connection is closed when `serve` returns.
    init(_ serve: @escaping @Sendable (Int32) -> Void) throws {
      listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      guard listener >= 0, unsafe Self.withAddress(of: path, { unsafe bind(listener, $0, $1) }) == 0,
        listen(listener, 1_024) == 0
      else { throw POSIXError(.EIO) }
      Thread.detachNewThread { [listener, state, accepted] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          accepted.withLock { $0 += 1 }
          state.withLock { $0.formUnion([client]) }
          Thread.detachNewThread {
            serve(client)
            state.withLock { $0.subtract([client]) }
            close(client)
          }
        }
      }
    }

    deinit {
      for each in state.withLock({ $0 }) { _ = shutdown(each, Int32(SHUT_RDWR)) }
      _ = shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
      unsafe unlink(path)
    }

    func endpoint(timeout: Duration = .seconds(5)) -> RedisEndpoint {
      RedisEndpoint(unixSocket: path, timeout: timeout)
    }

    /// A server that reads and never answers.
    static func silent() throws -> RawServer {
      try RawServer { client in
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while unsafe recv(client, &bytes, bytes.count, 0) > 0 {}
      }
    }

    /// A server that says something, and closes the connection.
    static func saying(_ text: String) throws -> RawServer {
      try RawServer { client in
        var bytes = [UInt8](repeating: 0, count: 4_096)
        _ = unsafe recv(client, &bytes, bytes.count, 0)
        send(Array(text.utf8), to: client)
      }
    }

    /// A slow link to a server: of its replies, a byte passes now and then.
    static func slow(to server: RedisServer, everyMilliseconds pause: UInt32) throws -> RawServer {
      let target = server.socket
      return try RawServer { client in
        guard let upstream = connection(to: target) else { return }
        Thread.detachNewThread {
          var byte = [UInt8](repeating: 0, count: 1)
          while unsafe recv(upstream, &byte, 1, 0) > 0, send(byte, to: client) { usleep(pause * 1_000) }
          _ = shutdown(client, Int32(SHUT_RDWR))
          close(upstream)
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
          let count = unsafe recv(client, &bytes, bytes.count, 0)
          guard count > 0, send(Array(bytes[..<count]), to: upstream) else { break }
        }
        _ = shutdown(upstream, Int32(SHUT_RDWR))
      }
    }

    /// Connects to a Unix socket; nil if nobody listens there.
    static func connection(to path: String) -> Int32? {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      if unsafe withAddress(of: path, { unsafe connect(descriptor, $0, $1) }) == 0 { return descriptor }
      close(descriptor)
      return nil
    }

    /// Sends bytes; returns false if the connection has ended.
    @discardableResult
    static func send(_ bytes: [UInt8], to target: Int32) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = unsafe bytes[sent...].withUnsafeBytes {
          unsafe Foundation.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }

    private static func withAddress<Result>(
      of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { target in
        for (index, byte) in path.utf8.enumerated() { unsafe target[index] = byte }
      }
      return unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
  }
#endif
