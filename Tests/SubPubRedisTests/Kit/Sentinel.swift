#if Redis
  import Foundation

  /// A sentinel that watches a primary, which it calls `cache`, and promotes its replica; it is killed when this is released.
  final class Sentinel: Sendable {
    private let process: Child
    private let socket: String
    private let port: Int

    /// Starts it; the times are in milliseconds.
    init(of primary: Int, in folder: String, downAfter: Int, failoverTimeout: Int) throws {
      (socket, port) = ("\(folder)/sentinel", try RedisServer.freePort())
      let file = "\(folder)/sentinel.conf"
      try Data(
        """
        port \(port)
        bind 127.0.0.1
        unixsocket \(socket)
        sentinel monitor cache 127.0.0.1 \(primary) 1
        sentinel down-after-milliseconds cache \(downAfter)
        sentinel failover-timeout cache \(failoverTimeout)

        """.utf8
      ).write(to: URL(filePath: file))
      process = try Child("sentinel", in: folder, [RedisServer.program, file, "--sentinel"])
    }

    deinit { process.killNow() }

    /// What outlets and mirrors connect to; the first of two sentinels doesn't exist.
    var url: String { "redis+sentinel://127.0.0.1:1,127.0.0.1:\(port)/cache" }

    /// Runs a command, and returns what the sentinel replies; the empty string if it doesn't.
    @discardableResult
    func run(_ arguments: String...) -> String { Asking.reply(of: socket, to: ["SENTINEL"] + arguments) }
  }

  extension RedisServer {
    /// Returns a port of 127.0.0.1 that nobody listens on.
    static func freePort() throws -> Int {
      let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
        }
      }
      guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }
#endif
