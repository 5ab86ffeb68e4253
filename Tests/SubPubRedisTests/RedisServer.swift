#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import Testing

  /// A server of one test, on a Unix socket in a folder of its own; killed and removed when it is released.
  final class RedisServer: Sendable {
    let folder: URL
    private let options: [String]
    private let running = Locked<(server: Process, line: Pipe)?>(nil)

    /// Starts a server.
    ///
    /// Every write is on the disk before its reply, so that nothing is lost when the server is killed.
    init(_ options: String...) async throws {
      // In a short path: that of a socket may have 100 bytes.
      folder = URL(filePath: "/tmp/subpub-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      self.options = options
      try await start()
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a server with a proxy in front of it.
    static func withProxy() async throws -> (RedisServer, Proxy) {
      let server = try await RedisServer()
      return (server, try Proxy(server))
    }

    var socket: String { folder.appending(path: "socket").path(percentEncoded: false) }

    func endpoint(
      username: String? = nil, password: String? = nil, database: Int = 0, timeout: Duration = .seconds(5)
    ) -> RedisEndpoint {
      RedisEndpoint(
        unixSocket: socket, username: username, password: password, database: database, timeout: timeout)
    }

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

    /// Starts the server, and waits until it answers.
    func start() async throws {
      let path = folder.path(percentEncoded: false)
      let server = try process(
        ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", path, "--loglevel", "warning"]
          + ["--save", "", "--appendonly", "yes", "--appendfsync", "always"] + options)
      let line = try guardian(of: server.processIdentifier, path)
      running.withLock { $0 = (server, line) }
      try await until { try !run("PING").isEmpty }
    }

    /// Starts a process that kills the server and removes its folder when this process dies, however that happens.
    ///
    /// It ends at the end of a line.
    private func guardian(of server: pid_t, _ path: String) throws -> Pipe {
      let line = Pipe()
      // Other children of this process would keep the shell waiting.
      _ = fcntl(line.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
      _ = try process(["sh", "-c", "read -r _ || { kill -KILL \(server); rm -rf \"$0\"; }", path], input: line)
      return line
    }

    private func process(
      _ arguments: [String], input: Any = FileHandle.standardInput, output: Any = FileHandle.nullDevice
    ) throws -> Process {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = arguments
      (process.standardInput, process.standardOutput, process.standardError) = (input, output, FileHandle.nullDevice)
      try process.run()
      return process
    }

    /// Kills the server, which has no time to say anything.
    func kill() {
      guard let running = running.withLock({ $0.take() }) else { return }
      _ = Foundation.kill(running.server.processIdentifier, SIGKILL)
      // Not before: this process may be killed at any time.
      try? running.line.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")])
      running.server.waitUntilExit()
    }

    private var data: URL { folder.appending(path: "appendonlydir") }

    /// Copies what the server has on disk.
    func snapshot() throws -> URL {
      let copy = folder.appending(path: "copy")
      try FileManager.default.copyItem(at: data, to: copy)
      return copy
    }

    /// Kills the server, and starts it again with a copy of its data.
    func restore(_ copy: URL, whileDown body: () -> Void = {}) async throws {
      kill()
      try FileManager.default.removeItem(at: data)
      try FileManager.default.copyItem(at: copy, to: data)
      body()
      try await start()
    }

    /// Runs a command, and returns what the server replies; the empty string if it doesn't.
    @discardableResult
    func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    func run(_ arguments: [String], input: URL? = nil) throws -> String {
      let (input, output) = (try input.map { try FileHandle(forReadingFrom: $0) }, Pipe())
      let client = try process(["redis-cli", "-s", socket] + arguments, input: input ?? .standardInput, output: output)
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      client.waitUntilExit()
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  // MARK: What it holds and does

  extension RedisServer {
    /// The number of an outlet that is far in the future.
    static let lateOutlet = 9_000_000_000_000

    func add(_ entry: [String]) throws {
      let reply = try run(["XADD", "key"] + entry)
      try #require(reply == entry[0], "\(reply)")
    }

    /// Adds entries of an outlet, whose values are their versions plus a number.
    func addEntries(epoch: Int, versions: ClosedRange<Int>, plus number: Int = 0, key: String = "key") throws {
      let script = """
        for i = ARGV[1], ARGV[2] do
          redis.call('XADD', KEYS[1], ARGV[3] .. '-' .. i, 'phase', 'loaded', 'value', i + ARGV[4])
        end
        return redis.call('SET', KEYS[1] .. ':epoch', ARGV[3])
        """
      let reply = try run(
        ["EVAL", script, "1", key] + [versions.lowerBound, versions.upperBound, epoch, number].map { "\($0)" })
      try #require(reply == "OK", "\(reply)")
    }

    /// Adds entries, and waits until a mirror shows the last one.
    func addEntries(
      epoch: Int, versions: ClosedRange<Int>, plus number: Int = 0, shownBy mirror: RedisMirror<Int>
    ) async throws {
      try addEntries(epoch: epoch, versions: versions, plus: number)
      try await mirror.reach(versions.upperBound + number)
    }

    /// The id of the last entry.
    var lastEntry: String {
      get throws { String(try run("XREVRANGE", "key", "+", "-", "COUNT", "1").prefix { $0 != "\n" }) }
    }

    /// The number of entries.
    var length: Int { get throws { try #require(Int(run("XLEN", "key"))) } }

    /// How often a command was called, such as `client|unblock`.
    func calls(of command: String) throws -> Int {
      let statistics = try run("INFO", "commandstats").split(whereSeparator: \.isNewline)
      let line = statistics.first { $0.hasPrefix("cmdstat_\(command):calls=") }
      return line.flatMap { Int($0.drop { $0 != "=" }.dropFirst().prefix(while: \.isNumber)) } ?? 0
    }

    /// Waits until a command was called some more times.
    func waitForCalls(of command: String, _ count: Int) async throws {
      let before = try calls(of: command)
      try await until { try calls(of: command) >= before + count }
    }

    /// Waits until the server's list of its clients contains a text.
    func waitForClients(_ text: String) async throws { try await until { try run("CLIENT", "LIST").contains(text) } }

    /// Allows a user with the password `secret` some commands on a key and its counter.
    func addUser(_ name: String, reading: Bool = false, _ commands: String) throws {
      let keys = reading ? "%R~key %R~key:epoch" : "~key ~key:epoch"
      let rules = "\(name) on >secret \(keys) \(commands)".split(separator: " ").map(String.init)
      #expect(try run(["ACL", "SETUSER"] + rules) == "OK")
    }
  }

  /// Why a server refuses to write.
  enum Refusal: CaseIterable {
    case hasNoMemory, isReplica

    func begin(on server: RedisServer) throws {
      let command = self == .isReplica ? ["REPLICAOF", "127.0.0.1", "1"] : ["CONFIG", "SET", "maxmemory", "1"]
      #expect(try server.run(command) == "OK")
    }

    func end(on server: RedisServer) throws {
      let command = self == .isReplica ? ["REPLICAOF", "NO", "ONE"] : ["CONFIG", "SET", "maxmemory", "0"]
      #expect(try server.run(command) == "OK")
    }
  }
#endif
