#if Redis
  import Foundation
  import SubPub
  import SubPubRedis

  /// A Unix socket in front of a server, whose connections can stall, lose replies, and be cut.
  final class LossyProxy: Sendable {
    enum Mode { case passes, losesReplies, stallsReplies, stalls }

    private let folder: URL
    private let target: String
    private let listener: Int32
    private let state = Locked(State())

    private struct State {
      var mode = Mode.passes
      var open: Set<Int32> = []
      var isOver = false
    }

    /// Makes a socket in front of a server's.
    init(_ server: RedisServer) throws {
      (folder, target) = (server.folder, server.socket)
      listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      guard listener >= 0,
        unsafe Self.withAddress(
          of: folder.appending(path: "proxy").path(percentEncoded: false), { unsafe bind(listener, $0, $1) }) == 0,
        listen(listener, 16) == 0
      else { throw POSIXError(.EIO) }
      Thread.detachNewThread { [listener, target, state] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
          guard unsafe Self.withAddress(of: target, { unsafe connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            continue
          }
          state.withLock { $0.open.formUnion([client, server]) }
          Thread.detachNewThread { Self.copy(from: client, to: server, state, isReply: false) }
          Thread.detachNewThread { Self.copy(from: server, to: client, state, isReply: true) }
        }
      }
    }

    deinit {
      state.withLock { $0.isOver = true }
      cut()
      _ = shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }

    func endpoint(timeout: Duration = .seconds(5)) -> RedisEndpoint {
      RedisEndpoint(unixSocket: folder.appending(path: "proxy").path(percentEncoded: false), timeout: timeout)
    }

    var mode: Mode {
      get { state.withLock { $0.mode } }
      set { state.withLock { $0.mode = newValue } }
    }

    /// Ends all connections.
    func cut() { for each in state.withLock({ $0.open }) { _ = shutdown(each, Int32(SHUT_RDWR)) } }

    private static func copy(from source: Int32, to target: Int32, _ state: Locked<State>, isReply: Bool) {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = unsafe recv(source, &bytes, bytes.count, 0)
        while state.withLock({ !$0.isOver && ($0.mode == .stalls || isReply && $0.mode == .stallsReplies) }) {
          usleep(1_000)
        }
        guard count > 0 else { break }
        if isReply, state.withLock({ $0.mode == .losesReplies }) { continue }
        var sent = 0
        while sent < count {
          let written = unsafe bytes[sent..<count].withUnsafeBytes {
            unsafe send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          if written <= 0 { break }
          sent += written
        }
      }
      _ = shutdown(target, Int32(SHUT_RDWR))
      _ = shutdown(source, Int32(SHUT_RDWR))
    }

    static func withAddress<Result>(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result)
      -> Result
    {
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
