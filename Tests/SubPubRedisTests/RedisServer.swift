#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  /// A server of one test, on a Unix socket in a folder of its own; killed and removed when it is released.
  final class RedisServer: Sendable {
    let folder: URL
    private let options: [String]
    private let process = Locked<(server: Process, line: Pipe)?>(nil)

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
      let server = Process()
      server.executableURL = URL(filePath: "/usr/bin/env")
      server.arguments =
        [
          "redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder.path(percentEncoded: false),
          "--save", "", "--appendonly", "yes", "--appendfsync", "always", "--loglevel", "warning",
        ] + options
      server.standardOutput = FileHandle.nullDevice
      try server.run()
      let line = try guardian(of: server.processIdentifier)
      process.withLock { $0 = (server, line) }
      let end = ContinuousClock.now + .seconds(TestLimit.seconds)
      while try run("PING").isEmpty {
        try #require(.now < end, "the server doesn't answer")
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// Starts a process that kills the server and removes its folder when this process dies, however that happens.
    ///
    /// It ends at the end of a line.
    private func guardian(of server: pid_t) throws -> Pipe {
      let (shell, line) = (Process(), Pipe())
      shell.executableURL = URL(filePath: "/bin/sh")
      shell.standardInput = line
      // Other children of this process would keep the shell waiting.
      _ = fcntl(line.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
      shell.arguments = [
        "-c", "read -r _ || { kill -KILL \(server); rm -rf \"$0\"; }", folder.path(percentEncoded: false),
      ]
      try shell.run()
      return line
    }

    /// Kills the server, which has no time to say anything.
    func kill() {
      let running = process.withLock { process in
        defer { process = nil }
        return process
      }
      guard let running else { return }
      try? running.line.fileHandleForWriting.write(contentsOf: [UInt8(ascii: "\n")])
      _ = Foundation.kill(running.server.processIdentifier, SIGKILL)
      running.server.waitUntilExit()
    }

    /// Runs a command, and returns what the server replies; the empty string if it doesn't.
    @discardableResult
    func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    func run(_ arguments: [String], input: URL? = nil) throws -> String {
      let client = Process()
      if let input { client.standardInput = try FileHandle(forReadingFrom: input) }
      let output = Pipe()
      client.executableURL = URL(filePath: "/usr/bin/env")
      client.arguments = ["redis-cli", "-s", socket] + arguments
      client.standardOutput = output
      client.standardError = FileHandle.nullDevice
      try client.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      client.waitUntilExit()
      return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Runs an outlet or a mirror until the end of the scope.
  func running<Result>(
    _ run: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await run() }
    defer { task.cancel() }
    let result = try await body()
    task.cancel()
    try await task.value
    return result
  }

  extension Publisher {
    /// Waits for a state.
    func reach(_ isReached: @escaping @Sendable (LoadState<Value>) -> Bool) async throws {
      let recorder = Recorder<Value>()
      subscribe(recorder, on: .background)
      try await recorder.wait(within: .seconds(TestLimit.seconds), until: isReached)
    }
  }

  extension Publisher where Value: Equatable {
    func reach(_ value: Value) async throws { try await reach { $0 == .loaded(value) } }
  }

  struct Offline: Error { let code: Int }

  extension RetryPolicy {
    /// Tries again and again, with short pauses.
    static var quick: RetryPolicy { RetryPolicy(maxAttempts: .max) { _, _ in .milliseconds(20) } }
  }

  extension RedisStatistics {
    /// The version of the last entry.
    var lastVersion: Int? { lastEntry.flatMap { Int($0.drop { $0 != "-" }.dropFirst()) } }
    /// The number of the outlet that wrote it.
    var lastOutlet: Int? { lastEntry.flatMap { Int($0.prefix { $0 != "-" }) } }
  }

  extension RedisServer {
    /// The number of an outlet that is far in the future.
    static let lateOutlet = 9_000_000_000_000

    func add(_ entry: [String]) throws {
      let reply = try run(["XADD", "key"] + entry)
      try #require(reply == entry[0], "\(reply)")
    }
  }

  /// Waits until something is so that has no event, such as a count or the contents of the server.
  func until(_ isSo: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let end = ContinuousClock.now + .seconds(TestLimit.seconds)
    while try !isSo() {
      try #require(.now < end, "it doesn't become so", sourceLocation: sourceLocation)
      try await Task.sleep(for: .milliseconds(2))
    }
  }
#endif
