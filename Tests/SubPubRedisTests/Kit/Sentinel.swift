#if Redis
  import Foundation
  import SubPubRedis

  /// A sentinel that watches a primary, which it calls `cache`, and promotes its replica; it is killed when this is
  /// released.
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

  /// Names a host and a port to everybody who asks, as a sentinel names the primary `cache`.
  final class NamingSentinel: Sendable {
    /// What it names.
    let primary: Locked<(host: String, port: Int)>
    /// What outlets and mirrors connect to, without the scheme.
    let address: String
    private let server: RawServer

    /// Makes one that takes so many seconds for each answer.
    init(_ port: Int, host: String = "127.0.0.1", delay: Double = 0) throws {
      let primary = Locked((host: host, port: port))
      let (descriptor, port) = try RedisServer.boundPort()
      server = try RawServer(listener: descriptor) { client in
        while !RawServer.receive(from: client).isEmpty {
          let (host, port) = primary.withLock { ($0.host, "\($0.port)") }
          Thread.sleep(forTimeInterval: delay)
          let reply = "*2\r\n$\(host.utf8.count)\r\n\(host)\r\n$\(port.utf8.count)\r\n\(port)\r\n"
          RawServer.send(reply.utf8, to: client)
        }
      }
      (self.primary, address) = (primary, "127.0.0.1:\(port)/cache")
    }
  }

  extension RedisServer {
    /// Returns a port of 127.0.0.1 that nobody listens on.
    static func freePort() throws -> Int {
      let (descriptor, port) = try boundPort()
      close(descriptor)
      return port
    }

    fileprivate static func boundPort() throws -> (descriptor: Int32, port: Int) {
      let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
        }
      }
      guard status == 0 else {
        close(descriptor)
        throw POSIXError(.EADDRNOTAVAIL)
      }
      return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
  }

  /// A port of 127.0.0.1 to which connections can be made, as to a process that is stopped: nobody answers.
  final class SilentPort: Sendable {
    let number: Int
    private let descriptor: Int32

    init() throws {
      (descriptor, number) = try RedisServer.boundPort()
      guard listen(descriptor, 128) == 0 else { throw POSIXError(.EIO) }
    }

    deinit { close(descriptor) }
  }

  extension [SilentPort] {
    /// An endpoint that asks these for a primary, one after the other.
    func sentinels(connectTimeout: Duration, replyTimeout: Duration) throws -> RedisEndpoint {
      let hosts = map { "127.0.0.1:\($0.number)" }.joined(separator: ",")
      var endpoint = try RedisEndpoint(url: "redis+sentinel://\(hosts)/cache")
      (endpoint.connectTimeout, endpoint.replyTimeout) = (connectTimeout, replyTimeout)
      return endpoint
    }
  }
#endif
