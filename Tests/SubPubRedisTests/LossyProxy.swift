#if Redis
  import Foundation
  import SubPub
  import SubPubRedis

  /// A Unix socket in front of a server, whose connections can stall, lose replies, and be cut.
  final class LossyProxy: Sendable {
    enum Mode { case passes, losesReplies, stallsReplies, stalls }

    private let proxy: ScriptedProxy
    private let current: Locked<Mode>

    /// Makes a socket in front of a server's.
    init(_ server: RedisServer) throws {
      let current = Locked(Mode.passes)
      self.current = current
      proxy = try ScriptedProxy(server) { piece in
        switch current.withLock({ $0 }) {
        case .losesReplies where piece.isReply: .passes([])
        case .passes, .losesReplies: .passes(piece.bytes)
        case .stallsReplies: piece.isReply ? .waits : .passes(piece.bytes)
        case .stalls: .waits
        }
      }
    }

    func endpoint(timeout: Duration = .seconds(5)) -> RedisEndpoint { proxy.endpoint(timeout: timeout) }

    var mode: Mode {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }

    /// Ends all connections.
    func cut() { proxy.cut() }
  }
#endif
