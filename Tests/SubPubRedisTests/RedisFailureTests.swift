#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("What goes wrong is an error that says what to do", .timeLimit(.minutes(2)))
  struct RedisFailureTests {
    private let publisher = Publisher<Int>(label: "source")

    private func outlet(_ endpoint: RedisEndpoint, retry: RetryPolicy = .quick) -> RedisOutlet<Int> {
      RedisOutlet(publisher, key: "key", endpoint: endpoint, retry: retry)
    }

    private func mirror(_ endpoint: RedisEndpoint, retry: RetryPolicy = .quick) -> RedisMirror<Int> {
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

    @Test("a server without memory, or a read-only one, delays the outlet, and no more")
    func refusesForNow() async throws {
      let server = try await RedisServer()
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      try await running(outlet.run) {
        try await running(mirror.run) {
          publisher.updateData(1)
          try await mirror.publisher.reach(1)
          for (number, (begin, end)) in [
            (["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]),
            (["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"]),
          ].enumerated() {
            let reconnects = outlet.statistics.reconnects
            #expect(try server.run(begin) == "OK")
            publisher.updateData(number * 10 + 2)
            try await until { outlet.statistics.reconnects >= reconnects + 3 }
            #expect(mirror.publisher.state.value != number * 10 + 2)
            publisher.updateData(number * 10 + 3)
            #expect(try server.run(end) == "OK")
            try await mirror.publisher.reach(number * 10 + 3)
          }
        }
      }
    }

    @Test(
      "an outlet whose server goes on refusing to write ends with an error after the timeout",
      arguments: [
        (["CONFIG", "SET", "maxmemory", "1"], "OOM "), (["REPLICAOF", "127.0.0.1", "1"], "READONLY "),
      ])
    func goesOnRefusing(command: [String], message: String) async throws {
      let server = try await RedisServer()
      #expect(try server.run(command) == "OK")
      // When it starts, and after it has written.
      for isWriting in [false, true] {
        let (clock, attempts) = (ManualClock(), Locked(0))
        let outlet = RedisOutlet(
          publisher, key: "key", endpoint: server.endpoint(timeout: .seconds(5)), retry: .quick, clock: clock
        ) { _ in attempts.withLock { $0 += 1 } }
        if isWriting {
          try server.run(message == "OOM " ? ["CONFIG", "SET", "maxmemory", "0"] : ["REPLICAOF", "NO", "ONE"])
        }
        let run = Task { try await outlet.run() }
        if isWriting {
          try await until { outlet.statistics.entries == 1 }
          try server.run(command)
          publisher.updateData(1)
        }
        // A refused write is tried again at once.
        try await until { attempts.withLock { $0 } == (isWriting ? 2 : 1) }
        for _ in 1...3 {
          try await clock.waitForSleepers(1)
          clock.advance(by: .seconds(2))
        }
        let error = await #expect(throws: RedisError.self) { try await run.value }
        guard case .refused(let refusal) = error?.reason else {
          Issue.record("\(error.debugDescription)")
          return
        }
        #expect(refusal.hasPrefix(message))
        #expect(attempts.withLock { $0 } == (isWriting ? 4 : 3))
      }
    }

    @Test("a counter that isn't a number, and an entry after which none is possible, are clear errors")
    func noNumberLeft() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint(timeout: .milliseconds(50)))
      try server.run("SET", "key:epoch", "text")
      var error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(error?.reason == .refused("key:epoch isn't the number of an outlet: delete it"))
      #expect(try server.run("GET", "key:epoch") == "text")
      try server.run("DEL", "key:epoch")
      try server.add(["\(UInt64.max)-1", "phase", "unknown"])
      error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(error?.reason == .refused("there is no greater number for an outlet: delete the key"))
    }

    @Test("an outlet whose last entry somebody deletes writes it again, and goes on with the next")
    func required_8_01_deletedEntry() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let outlet = outlet(proxy.endpoint())
      publisher.updateData(1)
      try await running(outlet.run) {
        try await until { outlet.statistics.lastVersion == 1 }
        try server.run("XDEL", "key", try #require(outlet.statistics.lastEntry))
        proxy.cut()
        try await until { outlet.statistics.reconnects == 1 }
        publisher.updateData(2)
        try await until { outlet.statistics.lastVersion == 2 }
        #expect(outlet.statistics.reconnects == 1)
        #expect(try server.run("XLEN", "key") == "2")
      }
    }

    @Test("an outlet whose successor's entries somebody deletes ends")
    func required_8_02_deletedSuccessor() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      publisher.updateData(1)
      let running = Task { try await outlet.run() }
      try await until { outlet.statistics.lastVersion == 1 }
      let entry = "\(RedisServer.lateOutlet)-0"
      try server.add([entry, "phase", "unknown"])
      try server.run("XDEL", "key", entry)
      publisher.updateData(2)
      await #expect(throws: RedisSuperseded.self) { try await running.value }
    }

    @Test("an entry of 64 MB is an error, and the next one is read")
    func hugeEntry() async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      try await running(mirror.run) {
        try await mirror.publisher.reach { $0 == .unknown }
        let file = server.folder.appending(path: "huge")
        try Data(repeating: UInt8(ascii: "7"), count: 64 << 20).write(to: file)
        #expect(try server.run(["-x", "XADD", "key", "1-1", "phase", "loaded", "value"], input: file) == "1-1")
        try await mirror.publisher.reach { $0.phase == .error }
        #expect(
          "\(try #require(mirror.publisher.state.error))".hasSuffix(
            "entry 1-1 isn't a state of the expected type: the value has 67108864 bytes, and the limit is 16777216"))
        try server.run("XADD", "key", "1-2", "phase", "loaded", "value", "7")
        try await mirror.publisher.reach(7)
      }
    }

    @Test("a state that can't be encoded, or is too large, is written as an error")
    func unencodable() async throws {
      let server = try await RedisServer()
      let texts = Publisher<[Double]>()
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint(), coder: .json(maxBytes: 100))
      let mirror = RedisMirror<[Double]>(key: "key", endpoint: server.endpoint())
      try await running(outlet.run) {
        try await running(mirror.run) {
          texts.updateData([.nan])
          try await mirror.publisher.reach { ($0.error as? RemoteError)?.message.contains("can't be encoded") ?? false }
          texts.updateData([Double](repeating: 1, count: 100))
          try await mirror.publisher.reach {
            ($0.error as? RemoteError)?.message.contains("has 201 bytes, and the limit is 100") ?? false
          }
          texts.updateData([1])
          try await mirror.publisher.reach([1])
        }
      }
      #expect(outlet.statistics.undecodable == 2)
    }

    @Test("an outlet that is cancelled writes what was accepted before")
    func cancelledOutlet() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      for number in 1...5_000 { publisher.updateData(number) }
      run.cancel()
      try await run.value
      #expect(outlet.statistics.lastVersion == 5000)
      #expect(try server.run("XLEN", "key") == "5001")
    }

    @Test("an outlet that is cancelled without a server says how much it couldn't write, after the timeout")
    func cancelledOutletWithoutServer() async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let outlet = RedisOutlet(publisher, key: "key", endpoint: server.endpoint(), clock: clock)
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      server.kill()
      for number in 1...10 { publisher.updateData(number) }
      try await until { clock.sleepers == 1 }
      run.cancel()
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(5))
      let error = await #expect(throws: RedisError.self) { try await run.value }
      #expect(error?.reason == .unwritten(10))
      run.cancel()
    }

    @Test("a run of a task that was cancelled before does nothing")
    func cancelledBefore() async throws {
      let server = try await RedisServer()
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      let run = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await outlet.run()
        try await mirror.run()
      }
      try await run.value
      #expect(try server.run("EXISTS", "key", "key:epoch") == "0")
    }

    @Test("a mirror that runs can't run again")
    func runsTwice() async {
      await #expect(processExitsWith: .failure) {
        let mirror = RedisMirror<Int>(key: "key", endpoint: RedisEndpoint(unixSocket: "/no/such/socket"))
        async let first: Void = mirror.run()
        async let second: Void = mirror.run()
        _ = try await (first, second)
      }
    }
  }
#endif
