#if Redis
  import Testing

  @Suite("8 What an outlet has written, keeps, and says", .hangLimit)
  struct OutletTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    // MARK: What counts as written

    @Test("the first state on a server without data isn't sent again once the stream is made")
    func required_8_02_firstStateOnce() async throws {
      let outlet = outlet()
      publisher.updateData(1)
      try await running(outlet) {
        try await publisher.publish(2, writtenBy: outlet)
        // The first one finds no stream, the second one makes it, and the third one is the other state.
        #expect(try server.calls(of: "xadd") == 3)
      }
    }

    // MARK: What is kept

    @Test("a stream holds exactly `maxLength` states if that is a small number", arguments: [1, 150])
    func required_8_04_exactLength(maxLength: Int) async throws {
      let outlet = outlet(maxLength: maxLength)
      try await running(outlet) {
        for number in 1...500 {
          publisher.updateData(number)
          if number % max(1, maxLength / 2) == 0 { try await outlet.reach(number) }
        }
        try await outlet.reach(500)
      }
      #expect(try server.length == maxLength)
    }

    @Test(
      "an outlet that may keep one state writes one when there is a connection again, and counts the others at once")
    func required_8_04_keepsOne() async throws {
      let outlet = outlet(maxLength: 1)
      publisher.updateData(0)
      try await running(outlet) {
        server.kill()
        publisher.updateData(1)
        try await until { failureCount > 0 }
        for number in 2...10 { publisher.updateData(number) }
        // The statistics are current without a connection.
        try await until { outlet.statistics.skipped >= 8 }
        try await server.start()
        try await outlet.reach(11)
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped) == (2, 9))
    }

    // MARK: The end

    @Test("a cancelled outlet counts every state that isn't confirmed, and none that came after the cancel")
    func required_8_07_unwritten() async throws {
      let clock = ManualClock()
      let outlet = outlet(proxy.endpoint(timeout: .seconds(50)), clock: clock)
      let run = try await started(outlet)
      proxy.mode = .stallsReplies
      for number in 1...2_000 { publisher.updateData(number) }
      // It has taken a state, and encodes it unless it waits for a reply to something else.
      try await until { outlet.health.lag.map { $0 > .zero } ?? false }
      run.cancel()
      try await clock.waitForSleepers(1)
      for number in 1...100 { publisher.updateData(number) }
      let start = ContinuousClock.now
      clock.advance(by: .seconds(50))
      #expect(await reason(of: run) == .unwritten(2_000))
      #expect(start.duration(to: .now) < .seconds(20))
    }

    @Test("an outlet that is cancelled writes what was accepted before")
    func required_8_07_writesTheRest() async throws {
      // However long that takes.
      let outlet = outlet(clock: ManualClock())
      let run = try await started(outlet)
      for number in 1...5_000 { publisher.updateData(number) }
      try await cancel(run)
      #expect(outlet.statistics.lastVersion == 5_000)
      #expect(try server.length == 5_000)
    }

    // MARK: What is written in place of a state

    @Test("a state that can't be encoded or is too large is an error that keeps the data from before, and its age")
    func required_5_01_8_05_unencodable() async throws {
      let texts = Publisher<[Double]>()
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint(), coder: .json(maxBytes: 100))
      let mirror = mirror(of: [Double].self, staleAfter: .seconds(60))
      let large = [Double](repeating: 1, count: 100)
      try await running(outlet, mirror) {
        texts.setState(.loaded([1]), origin: .cached, age: .seconds(3_600), id: nil)
        try await mirror.reach([1])
        for (state, message) in [
          (LoadState<[Double]>.loaded([.nan]), "can't be encoded"), (.loading(previous: [.nan]), "can't be encoded"),
          (.loaded(large), "has 201 bytes, and the limit is 100"),
        ] {
          texts.setState(state)
          try await outlet.reach(Int(texts.current.version))
          try await mirror.reach { ($0.error as? RemoteError)?.message.contains(message) ?? false }
          #expect(mirror.publisher.state.value == [1])
          #expect(mirror.publisher.current.origin == .cached)
        }
        texts.reset()
        texts.updateData([.nan])
        try await mirror.reach { $0.phase == .error && $0.value == nil }
        try await texts.publish([1], shownBy: mirror)
      }
      #expect(outlet.statistics.undecodable == 4)
    }

    @Test("a long text of an error is cut, on both sides, and says so")
    func required_8_05_longText() async throws {
      struct Long: Error, CustomStringConvertible {
        var description: String { "x" + String(repeating: "é", count: 100_000) }
      }
      let mirror = mirror()
      try await running(outlet(), mirror) {
        publisher.setError(Long())
        try await mirror.reach { $0.phase == .error }
        let message = try #require(mirror.publisher.state.error as? RemoteError).message
        #expect(message.hasPrefix("xé"))
        #expect(message.hasSuffix("é… (cut: the text has 200001 bytes)"))
        #expect(message.utf8.count < 4_200)
        #expect(try server.run("XREVRANGE", "key", "+", "-", "COUNT", "1").utf8.count < 5_000)
        // The name of a type, too, is cut before it is written.
        publisher.setError(RemoteError(type: String(repeating: "y", count: 100_000), message: "gone"))
        try await mirror.reach { ($0.error as? RemoteError)?.message == "gone" }
        let entry = try server.run("XREVRANGE", "key", "+", "-", "COUNT", "1")
        #expect(entry.contains("y… (cut: the text has 100000 bytes)") && entry.utf8.count < 5_000)
      }
      try await running(mirror) {
        let long = String(repeating: "y", count: 100_000)
        try server.add(["\(RedisServer.lateOutlet)-1", "phase", "error", "error", long, "error-type", long])
        try await mirror.reach { ($0.error as? RemoteError)?.message.hasPrefix("y") ?? false }
        let remote = try #require(mirror.publisher.state.error as? RemoteError)
        for text in [remote.message, remote.type] {
          #expect(text.hasSuffix("y… (cut: the text has 100000 bytes)"))
          #expect(text.utf8.count < 4_200)
        }
      }
    }

    // MARK: Threads

    @Test("outlets share connections")
    func required_8_10_idle() async throws {
      let outlets = (0..<300).map { (number: Int) in outlet(of: Publisher(initial: number), key: "key \(number)") }
      try await withThrowingTaskGroup { group in
        for outlet in outlets { group.addTask { try await outlet.run() } }
        try await until { outlets.allSatisfy { $0.statistics.entries == 1 } }
        #expect(try server.run("CLIENT", "LIST").split(separator: "\n").count == 3 + 1, "and this one")
        group.cancelAll()
        try await group.waitForAll()
      }
    }

    @Test("outlets of a server that doesn't answer share the attempts to connect, and learn together that they fail")
    func required_8_10_sharedAttempt() async throws {
      let silent = try RawServer.silent()
      var endpoint = silent.endpoint(timeout: .seconds(60), connectTimeout: .milliseconds(500))
      endpoint.clientName = "prices"
      let runs = (0..<20).map { number in
        let outlet = outlet(endpoint, key: "key\(number)", retry: .never)
        return Task { try await outlet.run() }
      }
      for run in runs {
        #expect(await reason(of: run) == .unreachable("the server takes longer than 0.5 seconds to reply"))
      }
      // One, unless some have begun late.
      #expect(silent.accepted.withLock { $0 } < runs.count)
    }

    @Test("an outlet whose coder takes long holds up no other one, whatever it is about to do over their connection")
    func required_8_10_1_04_slowCoder() async throws {
      let (gate, isHeld, hasLooked) = (Gate(), Locked(false), Locked(false))
      defer { gate.open() }
      let link = try Proxy(server) { piece in
        guard !piece.isReply, piece.contains("EVAL"), isHeld.withLock({ $0 }) else { return .passes(piece.bytes) }
        hasLooked.withLock { $0 = true }
        return .waits
      }
      let other = Publisher(initial: 1)
      let slow = outlet(link.endpoint(), key: "slow", coder: .numbers { if $0 == 2 { gate.pass() } })
      let quick = outlet(link.endpoint(), of: other)
      publisher.updateData(1)
      try await running(slow, quick) {
        isHeld.withLock { $0 = true }
        try server.run("DEL", "slow")
        try await until { hasLooked.withLock { $0 } }
        // The outlet looks at its key, and the reply arrives when there is a state to be encoded.
        publisher.updateData(2)
        try await until { slow.health.lag.map { $0 > .zero } ?? false }
        isHeld.withLock { $0 = false }
        for round in 2...3 {
          // This one has to look, too.
          try server.run("DEL", "key")
          try await other.publish(round, writtenBy: quick)
          try await gate.waitUntilHeld()
        }
        gate.open()
        try await slow.reach(2)
      }
    }

    @Test("many servers that don't answer leave threads to everybody else")
    func required_1_04_8_07_manySilentServers() async {
      // In a process of its own, because the other tests' outlets need threads, too.
      await #expect(processExitsWith: .success) {
        let silent = try (0..<8).map { _ in try RawServer.silent() }
        // Outlets that held the threads would hold them until the test is ended.
        let timeout = Duration.seconds(3_600)
        let publisher = Publisher<Int>()
        for server in silent {
          for number in 0..<20 {
            let outlet = RedisOutlet(publisher, key: "\(number)", endpoint: server.endpoint(timeout: timeout))
            Task { try await outlet.run() }
          }
        }
        try await until { silent.allSatisfy { $0.accepted.withLock { $0 } >= 1 } }
        await DispatchQueue(label: "unrelated").passed()
        let server = try await RedisServer()
        try await running(RedisOutlet(publisher, key: "key", endpoint: server.endpoint())) {}
      }
    }
  }
#endif
