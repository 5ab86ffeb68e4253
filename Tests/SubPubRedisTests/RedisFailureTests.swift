#if Redis
  import Testing

  @Suite("What goes wrong is an error that says what to do", .hangLimit)
  struct RedisFailureTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// Expects that both end with an error, which the mirror shows, too.
    private func expectRefusals(_ endpoint: RedisEndpoint, _ beginning: String) async throws {
      let mirror = mirror(endpoint)
      for part in [outlet(endpoint), mirror] as [any Runnable] {
        let refusal = await reason(of: Task { try await part.run() })?.refusal
        #expect(try #require(refusal).hasPrefix(beginning))
      }
      #expect(mirror.reason != nil)
    }

    @Test("a wrong password ends both, and a right one works")
    func password() async throws {
      try server.run("ACL", "SETUSER", "app", "on", ">pass word", "~*", "+@all")
      try server.run("CONFIG", "SET", "requirepass", "secret")
      try await expectRefusals(server.endpoint(), "NOAUTH")
      try await expectRefusals(server.endpoint(password: "wrong"), "WRONGPASS")
      try await expectRefusals(server.endpoint(username: "nobody", password: "secret"), "WRONGPASS")
      try await expectRefusals(server.endpoint(password: "secret", database: 99), "ERR DB index")
      publisher.updateData(1)
      for endpoint in [
        server.endpoint(password: "secret"), server.endpoint(password: "secret", database: 3),
        server.endpoint(username: "app", password: "pass word", database: 4),
      ] {
        let mirror = mirror(endpoint)
        try await running(outlet(endpoint), mirror) { try await mirror.reach(1) }
      }
      let databases = try server.run("-a", "secret", "INFO", "keyspace")
      for number in [0, 3, 4] { #expect(databases.contains("db\(number):keys=2")) }
    }

    @Test("over TCP, the permissions that the article lists are enough")
    func usersOverTCP() async throws {
      let port = try RedisServer.freePort()
      let server = try await RedisServer("--port", "\(port)", "--bind", "127.0.0.1")
      try server.addUser(
        "publisher", "+eval +get +set +time +xadd +xrange +xrevrange +xsetid +info +auth +select")
      let reading = "+xread +xrevrange +type +get +auth +select"
      try server.addUser("mirrors", reading: true, reading + " +time")
      // As the article said before there was a need for TIME.
      try server.addUser("former", reading: true, reading)
      let endpoint = { (user: String, timeout: Duration) in
        RedisEndpoint(port: port, username: user, password: "secret", database: 1, timeout: timeout)
      }
      let mirrors = ["mirrors", "former"].flatMap { user in
        (0...1).map { _ in mirror(endpoint(user, .milliseconds(500))) }
      }
      publisher.updateData(1)
      try await running(outlet(endpoint("publisher", .seconds(5))), mirrors[0], mirrors[2]) {
        for mirror in [mirrors[0], mirrors[2]] { try await mirror.reach(1) }
        // They are read apart from the first ones, which the server waits for.
        try await running(mirrors[1], mirrors[3]) {
          for mirror in [mirrors[1], mirrors[3]] { try await mirror.reach(1) }
          // The streams are looked at, too.
          try await server.waitForCalls(of: "type", 4)
          publisher.updateData(2)
          for mirror in mirrors { try await mirror.reach(2) }
        }
      }
      #expect(mirrors.map(\.statistics.reconnects) == [0, 0, 0, 0])
    }

    @Test("a server that takes no more clients says so, until it does")
    func tooManyClients() async throws {
      let server = try await RedisServer("--maxclients", "1")
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      publisher.updateData(1)
      let recorder = mirror.record()
      let run = try await started(mirror)
      try await running(outlet) { try await until { recorder.states.count > 10 } }
      try await mirror.reach(1)
      try await cancel(run)
      let reasons = recorder.states.compactMap { ($0.error as? RedisError)?.reason }
      #expect(reasons.count > 2)
      #expect(Set(reasons) == [.refused("ERR max number of clients reached")])
    }

    @Test(
      "without a server, both try as often as the policy says",
      arguments: [
        ("/no/such/socket", "cannot connect: No such file or directory"),
        // The path may have 107 bytes, or 103.
        ("/tmp/" + String(repeating: "é", count: 60), "cannot connect: the path of a socket may have 10"),
      ])
    func noServer(path: String, text: String) async throws {
      let attempts = Locked(0)
      let policy = RetryPolicy(maxAttempts: 3) { _, _ in
        attempts.withLock { $0 += 1 }
        return .zero
      }
      let endpoint = RedisEndpoint(unixSocket: path)
      let mirror = mirror(endpoint, retry: policy)
      for part in [outlet(endpoint, retry: policy), mirror] as [any Runnable] {
        attempts.withLock { $0 = 0 }
        let reason = try #require(await reason(of: Task { try await part.run() }))
        #expect("\(reason)".hasPrefix(text))
        #expect(attempts.withLock { $0 } == 2)
        #expect(failures.withLock { $0.map(\.reason) } == [reason, reason])
      }
      #expect("\(try #require(mirror.publisher.state.error))".hasPrefix("Redis at \(path)/0, key key: \(text)"))
    }

    @Test("delays and limits that no clock can count don't end, and stop nothing")
    func required_7_02_longTimes() async throws {
      let policy = RetryPolicy(maxAttempts: 3) { _, _ in .seconds(Int64.max) }
      let endpoint = RedisEndpoint(unixSocket: "/no/such/socket")
      let (outlet, mirror) = (outlet(endpoint, retry: policy), mirror(endpoint, retry: policy))
      for limit in [.seconds(Int64.max), Duration(attoseconds: .max)] {
        let value = Task { try await mirror.value(within: limit) }
        let runs = [outlet, mirror as any Runnable].map { part in Task { try await part.run() } }
        try await until { failureCount == 1 && mirror.reason != nil }
        failures.withLock { $0 = [] }
        for run in runs { try await cancel(run) }
        value.cancel()
        await #expect(throws: CancellationError.self) { try await value.value }
      }
    }

    @Test("delays are measured on the clock, and a cancel or `refreshIfNeeded` ends one")
    func delays() async throws {
      let (clock, attempts) = (ManualClock(), Locked(0))
      let policy = RetryPolicy(maxAttempts: 4) { failures, _ in
        attempts.withLock { $0 = failures }
        return .seconds(failures)
      }
      let mirror = mirror(RedisEndpoint(unixSocket: "/no/such/socket"), retry: policy, clock: clock)
      let cancelled = try await started(mirror)
      try await clock.waitForSleepers(1)
      try await cancel(cancelled)
      let run = try await started(mirror)
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      try await clock.waitForSleepers(1)
      #expect(attempts.withLock { $0 } == 2)
      mirror.refreshIfNeeded()
      try await until { attempts.withLock { $0 } == 3 }
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(3))
      _ = await reason(of: run)
      #expect(mirror.statistics.reconnects == 0)
    }

    @Test(
      "a connection that the server closes while it is idle is replaced, and nobody is told", arguments: [false, true])
    func required_8_04_closedWhileIdle(publishes: Bool) async throws {
      // No attempt after a failure would ever begin.
      let outlet = outlet(clock: ManualClock())
      try await running(outlet) {
        try server.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        if publishes { publisher.updateData(1) }
        try await until { outlet.statistics.reconnects == 1 }
        try await publisher.publish(2, writtenBy: outlet)
      }
      #expect(failures.withLock { $0 } == [])
    }

    @Test("a server that takes bytes for a wrong protocol is asked again")
    func required_8_04_protocolError() async throws {
      let server = try RawServer { client in
        _ = RawServer.receive(from: client)
        RawServer.send("-ERR Protocol error: invalid bulk length\r\n".utf8, to: client)
      }
      let outlet = outlet(server.endpoint(), retry: RetryPolicy(maxAttempts: 3) { _, _ in .zero })
      let error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(server.accepted.withLock { $0 } == 3, "\(error.debugDescription)")
    }

    @Test(
      "a key of another type ends both, and the mirrors of other keys go on",
      arguments: [Duration.seconds(1), .seconds(3_600)])
    func wrongType(timeout: Duration) async throws {
      let endpoint = server.endpoint(timeout: timeout)
      let other = mirror(endpoint, key: "other")
      try await running(outlet(endpoint, key: "other"), other) {
        try await publisher.publish(1, shownBy: other)
        try server.run("SET", "key", "text")
        try await expectRefusals(endpoint, "WRONGTYPE")
        // And a key that changes its type while a mirror follows it.
        try server.run("DEL", "key")
        let late = mirror(endpoint)
        let run = try await started(late)
        try await late.reach { $0 == .unknown }
        try server.run("SET", "key", "text")
        // With a long timeout, nobody looks before the next entry lets the next XREAD be refused.
        if timeout > .seconds(1) { publisher.updateData(2) }
        _ = await reason(of: run)
        try await publisher.publish(3, shownBy: other)
      }
      #expect(other.statistics.reconnects == 0)
    }

    @Test("a counter that isn't a number, and an entry after which none is possible, are clear errors")
    func noNumberLeft() async throws {
      let outlet = outlet(server.endpoint(timeout: .milliseconds(50)))
      try server.run("SET", "key:epoch", "text")
      var error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(error?.reason == .refused("ERR key:epoch isn't the number of an outlet: delete it"))
      #expect(try server.run("GET", "key:epoch") == "text")
      try server.run("DEL", "key:epoch")
      try server.add(["\(UInt64.max)-1", "phase", "unknown"])
      error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(error?.reason == .refused("ERR there is no greater number for an outlet: delete the key"))
    }

    @Test(
      "a reply that doesn't come, or trickles in, is too late after the timeout, however recently a byte has arrived",
      arguments: [false, true])
    func required_8_07_tricklingReply(trickles: Bool) async throws {
      try server.addEntries(epoch: 5, versions: 1...1)
      let link = try Proxy(server) { piece in
        if !piece.isReply { .passes(piece.bytes) } else if trickles { .trickles(everyMilliseconds: 60) } else { .waits }
      }
      let endpoint = link.endpoint(timeout: .milliseconds(200))
      let expected = RedisError.Reason.unreachable("the server takes longer than 0.2 seconds to reply")
      let mirror = mirror(endpoint)
      let start = ContinuousClock.now
      let run = try await started(mirror)
      try await mirror.reach { $0.phase == .error || $0.phase == .loaded }
      #expect(mirror.reason == expected)
      #expect(start.duration(to: .now) >= .milliseconds(200))
      try await cancel(run)
      publisher.updateData(1)
      let writing = Task { [outlet = outlet(endpoint)] in try await outlet.run() }
      try await until { try failureCount > 0 || server.calls(of: "set") > 1 }
      #expect(failures.withLock { $0.first }?.reason == expected)
      writing.cancel()
      _ = await reason(of: writing)
    }
  }
#endif
