#if Redis
  import Testing

  extension RedisServer {
    /// Starts a server of one test.
    convenience init(_ options: String...) async throws { try await self.init(options) }

    convenience init(_ options: [String]) async throws {
      // In a short path: that of a socket may have 100 bytes.
      try self.init(in: "/tmp/subpub-\(UUID().uuidString.prefix(8))", isTemporary: true, options)
      try await start()
    }

    func endpoint(
      username: String? = nil, password: String? = nil, database: Int = 0, timeout: Duration = .seconds(5)
    ) -> RedisEndpoint {
      RedisEndpoint(
        unixSocket: socket, username: username, password: password, database: database, timeout: timeout)
    }

    /// An address of this machine that isn't 127.0.0.1; nil if it has no other one.
    static let outerAddress: String? = {
      let output = Child.makePipe()
      guard let names = try? Child.start(["hostname", "-I"], output: output.fileHandleForWriting) else { return nil }
      try? output.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      names.waitUntilExit()
      return text.split(whereSeparator: \.isWhitespace).first { $0.contains(".") }.map(String.init)
    }()

    /// Starts the server, and waits until it answers.
    func start() async throws {
      try launch()
      try await until {
        let reply = try run("PING")
        return !reply.isEmpty && !reply.hasPrefix("LOADING")
      }
    }

    /// Kills the server, and starts it again with the copy of its data.
    func restore(whileDown body: () -> Void = {}) async throws {
      kill()
      try putBack()
      body()
      try await start()
    }

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

    /// How often a command was called, such as `xread`.
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

    /// How many clients have sent `XREAD` last.
    var readerCount: Int { get throws { try run("CLIENT", "LIST").components(separatedBy: "cmd=xread").count - 1 } }

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

    func begin(on server: RedisServer) throws { try run(server, ["127.0.0.1", "1"], maxMemory: "1") }
    func end(on server: RedisServer) throws { try run(server, ["NO", "ONE"], maxMemory: "0") }

    private func run(_ server: RedisServer, _ primary: [String], maxMemory: String) throws {
      let command = self == .isReplica ? ["REPLICAOF"] + primary : ["CONFIG", "SET", "maxmemory", maxMemory]
      #expect(try server.run(command) == "OK")
    }
  }
#endif
