/// A proxy in front of the server, which passes bytes on, holds them back, or loses them, in each direction.
final class Line: Sendable {
  enum Mode: CaseIterable, Sendable { case passes, holdsBack, loses }

  private let modes: Locked<(toServer: Mode, fromServer: Mode)>
  private let proxy: Proxy

  init(at path: String, to server: RedisServer) throws {
    let modes = Locked((toServer: Mode.passes, fromServer: Mode.passes))
    self.modes = modes
    proxy = try Proxy(server, at: path) { piece in
      switch modes.withLock({ piece.isReply ? $0.fromServer : $0.toServer }) {
      case .passes: .passes(piece.bytes)
      case .holdsBack: .waits
      case .loses: .passes([])
      }
    }
  }

  func set(toServer: Mode, fromServer: Mode) { modes.withLock { $0 = (toServer, fromServer) } }

  /// Passes everything on again; connections that have lost bytes end.
  func heal() {
    let former = modes.withLock { modes in
      defer { modes = (.passes, .passes) }
      return modes
    }
    if former.toServer == .loses || former.fromServer == .loses { cut() }
  }

  func cut() { proxy.cut() }
}
