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

    private let path: String
    private let listener: Int32
    private let open = Locked<Set<Int32>>([])

    init(_ server: RedisServer, _ script: @escaping Script) throws {
      path = server.folder.appending(path: "script").path(percentEncoded: false)
      listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      guard listener >= 0, unsafe LossyProxy.withAddress(of: path, { unsafe bind(listener, $0, $1) }) == 0,
        listen(listener, 16) == 0
      else { throw POSIXError(.EIO) }
      Thread.detachNewThread { [listener, open, target = server.socket] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0 else { return }
          let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
          guard unsafe LossyProxy.withAddress(of: target, { unsafe connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            continue
          }
          open.withLock { $0.formUnion([client, server]) }
          let isReading = Locked(false)
          for (source, target, isReply) in [(client, server, false), (server, client, true)] {
            Thread.detachNewThread { Self.copy(from: source, to: target, open, isReading, isReply: isReply, script) }
          }
        }
      }
    }

    deinit {
      for each in open.withLock({ Array($0) }) { _ = shutdown(each, Int32(SHUT_RDWR)) }
      open.withLock { $0 = [] }
      _ = shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }

    func endpoint(timeout: Duration) -> RedisEndpoint { RedisEndpoint(unixSocket: path, timeout: timeout) }

    private static func copy(
      from source: Int32, to target: Int32, _ open: Locked<Set<Int32>>, _ isReading: Locked<Bool>, isReply: Bool,
      _ script: Script
    ) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      copying: while true {
        let count = unsafe recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        let bytes = Array(buffer[..<count])
        if !isReply, bytes.contains("XREAD".utf8) { isReading.withLock { $0 = true } }
        let piece = Piece(isReply: isReply, isReading: isReading.withLock { $0 }, bytes: bytes)
        while true {
          guard open.withLock({ $0.contains(source) }) else { break copying }
          if case .passes(let bytes) = script(piece) {
            var sent = 0
            while sent < bytes.count {
              let written = unsafe bytes[sent...].withUnsafeBytes {
                unsafe send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
              }
              if written <= 0 { break copying }
              sent += written
            }
            break
          }
          usleep(1_000)
        }
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
