import Foundation
import Synchronization

/// A Unix socket in front of the server's, which passes bytes on, holds them back, or loses them, in each direction.
final class Proxy: Sendable {
  enum Mode: CaseIterable { case passes, holdsBack, loses }

  private struct State {
    var toServer = Mode.passes
    var fromServer = Mode.passes
    var open: Set<Int32> = []
  }

  private let state = Mutex(State())

  init(at path: String, to server: String) {
    let listener = Self.socket(path) { bind($0, $1, $2) }
    guard listener >= 0, listen(listener, 64) == 0 else { fatalError("cannot listen at \(path)") }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        Thread.detachNewThread { [self] in
          serve(client, server)
          close(client)
        }
      }
    }
  }

  func set(toServer: Mode, fromServer: Mode) {
    state.withLock { ($0.toServer, $0.fromServer) = (toServer, fromServer) }
  }

  /// Passes everything on again; connections that have lost bytes end.
  func heal() {
    let loses = state.withLock { state in
      defer { (state.toServer, state.fromServer) = (.passes, .passes) }
      return state.toServer == .loses || state.fromServer == .loses
    }
    if loses { cut() }
  }

  func cut() { state.withLock { for each in $0.open { shutdown(each, Int32(SHUT_RDWR)) } } }

  /// Copies in both directions until a connection ends.
  private func serve(_ client: Int32, _ server: String) {
    let target = Self.socket(server) { connect($0, $1, $2) }
    guard target >= 0 else { return }
    state.withLock { $0.open.formUnion([client, target]) }
    let replies = DispatchGroup()
    replies.enter()
    Thread.detachNewThread { [self] in
      copy(from: target, to: client) { $0.fromServer }
      replies.leave()
    }
    copy(from: client, to: target) { $0.toServer }
    replies.wait()
    state.withLock { $0.open.subtract([client, target]) }
    close(target)
  }

  private func copy(from source: Int32, to target: Int32, _ mode: (State) -> Mode) {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    copying: while true {
      let count = recv(source, &bytes, bytes.count, 0)
      guard count > 0 else { break }
      while state.withLock({ mode($0) }) == .holdsBack { usleep(1_000) }
      if state.withLock({ mode($0) }) == .loses { continue }
      var rest = bytes[..<count]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if sent <= 0 { break copying }
        rest.removeFirst(sent)
      }
    }
    for each in [source, target] { shutdown(each, Int32(SHUT_RDWR)) }
  }

  /// Makes a socket, and binds or connects it; -1 if that fails.
  private static func socket(
    _ path: String, _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    let descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status == 0 { return descriptor }
    close(descriptor)
    return -1
  }
}
