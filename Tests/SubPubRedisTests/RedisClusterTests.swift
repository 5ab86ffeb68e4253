#if Redis
  import Testing

  @Suite("Sentinels and clusters say which server it is", .hangLimit)
  struct RedisClusterTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// A server on a TCP port.
    private static func listening(_ arguments: String...) async throws -> (server: RedisServer, port: Int) {
      let port = try RedisServer.freePort()
      let server = try await RedisServer(
        ["--port", "\(port)", "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"] + arguments)
      return (server, port)
    }

    @Test("an outlet and a mirror find the primary by a sentinel, and the next one after a failover")
    func required_8_01_8_08_sentinel() async throws {
      let (primary, port) = try await Self.listening()
      let (replica, other) = try await Self.listening("--replicaof", "127.0.0.1 \(port)")
      try await until { try replica.run("INFO", "replication").contains("master_link_status:up") }
      let sentinel = try Sentinel(of: port, in: primary.folder, downAfter: 500, failoverTimeout: 3_000)
      var endpoint = try RedisEndpoint(url: sentinel.url)
      endpoint.replyTimeout = .seconds(2)
      let (outlet, mirror) = (outlet(endpoint), mirror(endpoint))
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        try await primary.waitForClients("cmd=xread")
        try await until { sentinel.run("REPLICAS", "cache").contains("\(other)") }
        primary.kill()
        publisher.updateData(2)
        try await mirror.reach(2)
        try await replica.waitForClients("cmd=xread")
        // The former primary comes back with old data, and takes itself for the primary for a while.
        try await primary.start()
        let recorder = mirror.record()
        try replica.run("CLIENT", "KILL", "TYPE", "normal")
        try await publisher.publish(3, shownBy: mirror)
        #expect(recorder.loaded.allSatisfy { $0 >= 2 })
      }
    }

    @Test("a server that a sentinel names is used only if it is a primary")
    func required_8_01_namedReplica() async throws {
      let (replica, other) = try await Self.listening("--replicaof", "127.0.0.1 1")
      let (primary, port) = try await Self.listening()
      let sentinel = try NamingSentinel(other)
      let endpoint = try RedisEndpoint(url: "redis+sentinel://\(sentinel.address)")
      let mirror = mirror(endpoint)
      let run = try await started(mirror)
      try await until { mirror.reason != nil || mirror.health.isConnected }
      #expect(mirror.reason == .unreachable("127.0.0.1:\(other)/0 isn't the primary"))
      for (host, number) in [("", port), ("127.0.0.1\0", port), ("127.0.0.1", 65_536)] {
        sentinel.primary.withLock { $0 = (host, number) }
        try await until { mirror.reason.map { "\($0)".contains("knows no primary") } ?? false }
        sentinel.primary.withLock { $0 = ("127.0.0.1", other) }
        try await until { mirror.reason.map { "\($0)".contains("isn't the primary") } ?? false }
      }
      sentinel.primary.withLock { $0.port = port }
      publisher.updateData(1)
      try await running(outlet(endpoint)) { try await mirror.reach(1) }
      try await cancel(run)
      for server in [replica, primary] { withExtendedLifetime(server) {} }
    }

    @Test("sentinels that know no such primary, or can't be reached, are an error that says so")
    func unknownPrimary() async throws {
      let endpoint = try RedisEndpoint(url: "redis+sentinel://127.0.0.1:1/cache/2")
      #expect("\(endpoint)" == "cache of 127.0.0.1:1/2")
      let run = Task { [outlet = outlet(endpoint, retry: .never)] in try await outlet.run() }
      #expect("\(try #require(await reason(of: run)))".contains("cannot connect"))
    }

    @Test("a sentinel that doesn't answer leaves time for the next one, for the primary, and for the login")
    func required_8_01_8_07_silentSentinel() async throws {
      let (primary, port) = try await Self.listening()
      #expect(try primary.run("CONFIG", "SET", "requirepass", "secret") == "OK")
      // The next one needs some time, too.
      let (silent, sentinel) = (try SilentPort(), try NamingSentinel(port, delay: 0.1))
      let hosts = "127.0.0.1:\(silent.number),\(sentinel.address)"
      var endpoint = try RedisEndpoint(url: "redis+sentinel://:secret@\(hosts)")
      endpoint.connectTimeout = .seconds(6)
      endpoint.replyTimeout = .seconds(60)
      publisher.updateData(1)
      let mirror = mirror(endpoint, of: Int.self, retry: .never)
      try await running(outlet(RedisEndpoint(port: port, password: "secret"))) {
        let run = try await started(mirror)
        try await mirror.reach { $0.value == 1 || $0.phase == .error }
        #expect(mirror.publisher.state == .loaded(1))
        try await cancel(run)
      }
    }

    @Test("sentinels of which none answers are given up within connectTimeout, with an error that says so")
    func required_8_07_silentSentinels() async throws {
      let ports = try (0..<3).map { _ in try SilentPort() }
      let endpoint = try ports.sentinels(connectTimeout: .milliseconds(300), replyTimeout: .seconds(20))
      let start = ContinuousClock.now
      let run = Task { [mirror = mirror(endpoint, of: Int.self, retry: .never)] in try await mirror.run() }
      let reason = "\(try #require(await reason(of: run)))"
      #expect(reason.contains("the sentinel at 127.0.0.1:\(ports[2].number)/0 doesn't answer"), "\(reason)")
      #expect(start.duration(to: .now) < .seconds(15))
    }

    @Test("a node of a cluster that doesn't have the key sends both to the one that has it")
    func required_8_01_moved() async throws {
      let (server, port) = try await Self.listening()
      // Each word of a command stands in a line of its own.
      let node = try RawServer { client in
        while case let bytes = RawServer.receive(from: client), !bytes.isEmpty {
          let commands = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").count { $0.hasPrefix("*") }
          let reply = "-MOVED 866 127.0.0.1:\(port)\r\n"
          RawServer.send(String(repeating: reply, count: commands).utf8, to: client)
        }
      }
      let mirror = mirror(node.endpoint(), key: "{weather}")
      publisher.updateData(1)
      try await running(outlet(node.endpoint(), key: "{weather}"), mirror) {
        try await mirror.reach(1)
        try await publisher.publish(2, shownBy: mirror)
      }
      #expect(try server.run("XLEN", "{weather}") == "2")
    }

    @Test("a key without a hash tag is an error that says what to do, if its counter belongs to another node")
    func crossSlot() async throws {
      let (server, port) = try await Self.listening(
        "--cluster-enabled", "yes", "--cluster-port", "\(RedisServer.freePort())")
      try server.run("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
      let run = Task { [outlet = outlet(RedisEndpoint(port: port))] in try await outlet.run() }
      #expect("\(try #require(await reason(of: run)))".contains("hash tag"))
    }

    @Test("mirrors of keys that a cluster has in different hash slots go on, without an error")
    func required_8_01_hashTags() async throws {
      let (server, port) = try await Self.listening(
        "--cluster-enabled", "yes", "--cluster-port", "\(RedisServer.freePort())")
      try server.run("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
      let endpoint = RedisEndpoint(port: port)
      let (first, second) = (mirror(endpoint, key: "{a}"), mirror(endpoint, key: "{b}"))
      let errors = Locked<[String]>([])
      let observations = [first, second].map { mirror in
        mirror.observe(on: .immediate) { state in
          if case .error(let error, _) = state.state { errors.withLock { $0.append("\(error)") } }
        }
      }
      try await running(outlet(endpoint, key: "{a}"), first) {
        try await running(outlet(endpoint, key: "{b}"), second) {
          for value in 1...3 {
            publisher.updateData(value)
            try await first.reach(value)
            try await second.reach(value)
          }
        }
      }
      #expect(errors.withLock { $0 } == [])
      withExtendedLifetime(observations) {}
    }
  }
#endif
