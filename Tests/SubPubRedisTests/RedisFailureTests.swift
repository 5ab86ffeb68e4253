#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("What goes wrong is an error that says what to do", .timeLimit(.minutes(2)))
  struct RedisFailureTests {
    let publisher = Publisher<Int>(label: "source")

    func outlet(_ endpoint: RedisEndpoint, retry: RetryPolicy = .quick) -> RedisOutlet<Int> {
      RedisOutlet(publisher, key: "key", endpoint: endpoint, retry: retry)
    }

    func mirror(_ endpoint: RedisEndpoint, retry: RetryPolicy = .quick) -> RedisMirror<Int> {
      RedisMirror(key: "key", endpoint: endpoint, retry: retry)
    }

    /// Expects that both end with an error, which the mirror shows, too.
    private func expectRefusals(_ endpoint: RedisEndpoint, _ beginning: String) async {
      let mirror = mirror(endpoint)
      for run in [outlet(endpoint).run, mirror.run] {
        let error = await #expect(throws: RedisError.self) { try await run() }
        guard case .refused(let message) = error?.reason else {
          Issue.record("\(error.debugDescription)")
          return
        }
        #expect(message.hasPrefix(beginning))
      }
      #expect(mirror.publisher.state.error is RedisError)
    }

    @Test("a wrong password ends both, and a right one works")
    func password() async throws {
      let server = try await RedisServer()
      try server.run("ACL", "SETUSER", "app", "on", ">pass word", "~*", "+@all")
      try server.run("CONFIG", "SET", "requirepass", "secret")
      await expectRefusals(server.endpoint(), "NOAUTH")
      await expectRefusals(server.endpoint(password: "wrong"), "WRONGPASS")
      await expectRefusals(server.endpoint(username: "nobody", password: "secret"), "WRONGPASS")
      await expectRefusals(server.endpoint(password: "secret", database: 99), "ERR DB index")
      publisher.updateData(1)
      for endpoint in [
        server.endpoint(password: "secret"), server.endpoint(password: "secret", database: 3),
        server.endpoint(username: "app", password: "pass word", database: 4),
      ] {
        let mirror = mirror(endpoint)
        try await running(outlet(endpoint).run) {
          try await running(mirror.run) { try await mirror.publisher.reach(1) }
        }
      }
      let databases = try server.run("-a", "secret", "INFO", "keyspace")
      for number in [0, 3, 4] { #expect(databases.contains("db\(number):keys=2")) }
    }

    @Test("over TCP, users who may do what the article lists are enough")
    func usersOverTCP() async throws {
      let port = try RedisServer.freePort()
      let server = try await RedisServer("--port", "\(port)", "--bind", "127.0.0.1")
      let rules = [
        "publisher on >secret ~key ~key:epoch +xadd +xrevrange +xsetid +info +time +watch +get +multi +set +exec +auth +select",
        "mirrors on >hidden %R~key %R~key:epoch +xread +xrevrange +type +get +time +client|id +client|unblock +auth +select",
        // As the article said before there was a need for TIME.
        "former on >hidden %R~key %R~key:epoch +xread +xrevrange +type +get +client|id +client|unblock +auth +select",
      ]
      for rule in rules { try server.run(["ACL", "SETUSER"] + rule.split(separator: " ").map(String.init)) }
      let outlet = outlet(RedisEndpoint(port: port, username: "publisher", password: "secret", database: 1))
      try await running(outlet.run) {
        for (number, user) in ["mirrors", "former"].enumerated() {
          let readers = RedisEndpoint(
            port: port, username: user, password: "hidden", database: 1, timeout: .milliseconds(500))
          let (first, second) = (mirror(readers), mirror(readers))
          publisher.updateData(10 * number + 1)
          try await running(first.run) {
            try await first.publisher.reach(10 * number + 1)
            // Unblocks the reading connection.
            try await running(second.run) {
              try await second.publisher.reach(10 * number + 1)
              // The streams are looked at, too.
              let checks = try server.calls(of: "type")
              try await until { try server.calls(of: "type") >= checks + 2 }
              publisher.updateData(10 * number + 2)
              try await first.publisher.reach(10 * number + 2)
              try await second.publisher.reach(10 * number + 2)
              #expect(first.statistics.reconnects == 0)
            }
          }
        }
      }
    }

    @Test("a server that takes no more clients says so, until it does")
    func tooManyClients() async throws {
      let server = try await RedisServer("--maxclients", "1")
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      publisher.updateData(1)
      let (run, recorder) = (Task { try await mirror.run() }, Recorder<Int>())
      mirror.publisher.subscribe(recorder, on: .background)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries > 0 && recorder.states.count > 40 }
      }
      try await mirror.publisher.reach(1)
      run.cancel()
      try await run.value
      let reasons = recorder.states.compactMap { ($0.error as? RedisError)?.reason }
      #expect(reasons.count > 10)
      #expect(Set(reasons) == [.refused("ERR max number of clients reached")])
    }

    @Test("without a server, both try as often as the policy says")
    func noServer() async throws {
      let endpoint = RedisEndpoint(unixSocket: "/no/such/socket")
      let attempts = Locked(0)
      let policy = RetryPolicy(maxAttempts: 3) { _, _ in
        attempts.withLock { $0 += 1 }
        return .zero
      }
      let mirror = mirror(endpoint, retry: policy)
      for run in [outlet(endpoint, retry: policy).run, mirror.run] {
        attempts.withLock { $0 = 0 }
        let error = await #expect(throws: RedisError.self) { try await run() }
        #expect(error?.reason == .unreachable("cannot connect: No such file or directory"))
        #expect(attempts.withLock { $0 } == 2)
      }
      let errors = Locked<[RedisError]>([])
      let outlet = RedisOutlet(publisher, key: "key", endpoint: endpoint, retry: policy) { error in
        errors.withLock { $0.append(error) }
      }
      let error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(errors.withLock { $0 } == [error, error])
      #expect(
        "\(try #require(mirror.publisher.state.error))"
          == "Redis at /no/such/socket/0, key key: cannot connect: No such file or directory")
    }

    @Test("delays are measured on the clock, and `refreshIfNeeded` ends one")
    func delays() async throws {
      let clock = ManualClock()
      let delays: [Duration] = [.seconds(1), .seconds(2), .seconds(3)]
      let attempts = Locked(0)
      let policy = RetryPolicy(maxAttempts: 4) { failures, _ in
        attempts.withLock { $0 = failures }
        return delays[failures - 1]
      }
      let mirror = RedisMirror<Int>(
        key: "key", endpoint: RedisEndpoint(unixSocket: "/no/such/socket"), retry: policy, clock: clock)
      let run = Task { try await mirror.run() }
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      try await clock.waitForSleepers(1)
      #expect(attempts.withLock { $0 } == 2)
      mirror.refreshIfNeeded()
      try await until { attempts.withLock { $0 } == 3 }
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(3))
      await #expect(throws: RedisError.self) { try await run.value }
      #expect(mirror.statistics.reconnects == 0)
    }

    @Test("the path of a socket that is too long for the system is an error")
    func longPath() async throws {
      let endpoint = RedisEndpoint(unixSocket: "/tmp/" + String(repeating: "é", count: 60))
      let mirror = mirror(endpoint, retry: .never)
      for run in [outlet(endpoint, retry: .never).run, mirror.run] {
        let error = await #expect(throws: RedisError.self) { try await run() }
        #expect("\(error.debugDescription)".contains("the path of a socket may have 10"))
      }
    }

    @Test("a server that doesn't answer is an error after the timeout")
    func silentServer() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      proxy.mode = .stalls
      let endpoint = proxy.endpoint(timeout: .milliseconds(200))
      for run in [outlet(endpoint, retry: .never).run, mirror(endpoint, retry: .never).run] {
        let start = ContinuousClock.now
        let error = await #expect(throws: RedisError.self) { try await run() }
        #expect(error?.reason == .unreachable("the server takes longer than 0.2 seconds to reply"))
        #expect(start.duration(to: .now) >= .milliseconds(200))
      }
    }

    @Test("a run that is cancelled while there is no connection ends at once")
    func cancelledWithoutConnection() async throws {
      let mirror = mirror(
        RedisEndpoint(unixSocket: "/no/such/socket"),
        retry: .exponential(
          maxAttempts: .max, initial: .seconds(1_000), maximum: .seconds(1_000)))
      let run = Task { try await mirror.run() }
      try await mirror.publisher.reach { $0.phase == .error }
      run.cancel()
      try await run.value
    }

    @Test(
      "a key of another type ends both, and the mirrors of other keys go on",
      arguments: [Duration.seconds(1), .seconds(3_600)])
    func wrongType(timeout: Duration) async throws {
      let server = try await RedisServer()
      let endpoint = server.endpoint(timeout: timeout)
      let other = RedisMirror<Int>(key: "other", endpoint: endpoint, retry: .quick)
      try await running(RedisOutlet(publisher, key: "other", endpoint: endpoint).run) {
        try await running(other.run) {
          publisher.updateData(1)
          try await other.publisher.reach(1)
          try server.run("SET", "key", "text")
          await expectRefusals(endpoint, "WRONGTYPE")
          // And a key that changes its type while a mirror follows it.
          try server.run("DEL", "key")
          let late = mirror(endpoint)
          let run = Task { try await late.run() }
          try await late.publisher.reach { $0 == .unknown }
          try server.run("SET", "key", "text")
          // With a long timeout, nobody looks before the next entry lets the next XREAD be refused.
          if timeout > .seconds(1) { publisher.updateData(2) }
          await #expect(throws: RedisError.self) { try await run.value }
          publisher.updateData(3)
          try await other.publisher.reach(3)
        }
      }
      #expect(other.statistics.reconnects == 0)
    }
  }
#endif
