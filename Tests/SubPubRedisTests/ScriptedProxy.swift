#if Redis
  import Foundation
  import SubPub
  import SubPubRedis

  /// A Unix socket in front of a server, which asks a closure what to do with the bytes.
  final class ScriptedProxy: Sendable {
    /// What has arrived at the proxy.
    struct Piece {
      let isReply: Bool
      /// Whether `XREAD` has been sent over the connection.
      let isReading: Bool
      var bytes: [UInt8]

      /// Whether the bytes contain a text.
      func contains(_ text: String) -> Bool { bytes.contains(text.utf8) }

      func replacing(_ text: String, by other: String) -> Verdict {
        .passes(bytes.replacing(Array(text.utf8), with: Array(other.utf8)))
      }
    }

    enum Verdict {
      case passes([UInt8])
      /// Nothing arrives, and the closure is asked again later.
      case waits
    }

    typealias Script = @Sendable (Piece) -> Verdict

    private let listener: RawServer
    private let open: Locked<Set<Int32>>

    init(_ server: RedisServer, _ script: @escaping Script) throws {
      let (target, open) = (server.socket, Locked<Set<Int32>>([]))
      self.open = open
      listener = try RawServer { client in
        guard let server = RawServer.connection(to: target) else { return }
        open.withLock { $0.formUnion([client, server]) }
        let (isReading, replies) = (Locked(false), DispatchGroup())
        replies.enter()
        Thread.detachNewThread {
          Self.copy(from: server, to: client, open, isReading, isReply: true, script)
          replies.leave()
        }
        Self.copy(from: client, to: server, open, isReading, isReply: false, script)
        replies.wait()
        open.withLock { $0.subtract([client, server]) }
        close(server)
      }
    }

    deinit {
      cut()
      open.withLock { $0 = [] }
    }

    func endpoint(timeout: Duration) -> RedisEndpoint { listener.endpoint(timeout: timeout) }

    /// Ends all connections.
    func cut() { open.withLock { for each in $0 { _ = shutdown(each, Int32(SHUT_RDWR)) } } }

    private static func copy(
      from source: Int32, to target: Int32, _ open: Locked<Set<Int32>>, _ isReading: Locked<Bool>, isReply: Bool,
      _ script: Script
    ) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      copying: while true {
        // The end, too, waits for as long as the closure says; it is an empty piece.
        let count = unsafe recv(source, &buffer, buffer.count, 0)
        let bytes = Array(buffer[..<max(0, count)])
        if !isReply, bytes.contains("XREAD".utf8) { isReading.withLock { $0 = true } }
        let piece = Piece(isReply: isReply, isReading: isReading.withLock { $0 }, bytes: bytes)
        while open.withLock({ $0.contains(source) }) {
          if case .passes(let bytes) = script(piece) {
            if piece.bytes.isEmpty || !RawServer.send(bytes, to: target) { break copying }
            continue copying
          }
          usleep(1_000)
        }
        break
      }
      _ = shutdown(target, Int32(SHUT_RDWR))
      _ = shutdown(source, Int32(SHUT_RDWR))
    }
  }

  extension RedisServer {
    /// Adds entries of an outlet, whose values are their versions plus a number.
    func addEntries(epoch: Int, versions: ClosedRange<Int>, plus number: Int = 0, key: String = "key") throws {
      let script = """
        for i = ARGV[1], ARGV[2] do
          redis.call('XADD', KEYS[1], ARGV[3] .. '-' .. i, 'phase', 'loaded', 'value', i + ARGV[4])
        end
        return redis.call('SET', KEYS[1] .. ':epoch', ARGV[3])
        """
      let reply = try run([
        "EVAL", script, "1", key, "\(versions.lowerBound)", "\(versions.upperBound)", "\(epoch)", "\(number)",
      ])
      guard reply == "OK" else { throw Offline(code: 1) }
    }

    /// How often a command was called, such as `client|unblock`.
    func calls(of command: String) throws -> Int {
      let statistics = try run("INFO", "commandstats").split(whereSeparator: \.isNewline)
      let line = statistics.first { $0.hasPrefix("cmdstat_\(command):calls=") }
      return line.flatMap { Int($0.drop { $0 != "=" }.dropFirst().prefix(while: \.isNumber)) } ?? 0
    }

    /// Replaces what the server has on disk by a copy; it starts again.
    func restore(_ copy: URL) async throws {
      kill()
      let data = folder.appending(path: "appendonlydir")
      try FileManager.default.removeItem(at: data)
      try FileManager.default.copyItem(at: copy, to: data)
      try await start()
    }

    /// Copies what the server has on disk.
    func snapshot() throws -> URL {
      let copy = folder.appending(path: "copy")
      try FileManager.default.copyItem(at: folder.appending(path: "appendonlydir"), to: copy)
      return copy
    }
  }

  extension Sequence where Element: Equatable {
    /// The elements without those that are equal to the one before.
    var withoutRepeats: [Element] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
  }
#endif
