#if Redis
  import Testing

  @Suite("8 What an outlet leaves behind when it ends, and when that is", .hangLimit)
  struct OutletEndTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("a cancelled outlet ends in time, even if its credentials take longer")
    func required_8_07_slowCredentials() async throws {
      let (vault, clock) = (ManualClock(), ManualClock())
      var endpoint = server.endpoint(timeout: .seconds(3_600))
      endpoint.credentials = {
        try await vault.sleep(for: .seconds(1))
        return (nil, "secret")
      }
      publisher.updateData(1)
      let run = Task { [outlet = outlet(endpoint, clock: clock)] in try await outlet.run() }
      try await vault.waitForSleepers(1)
      run.cancel()
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(3_600))
      #expect(await reason(of: run) == .unwritten(1))
    }

    @Test(
      "the error of a cancelled outlet counts what was published before the cancel, however much is published later",
      arguments: [(1, 1, 1), (10, 3, 0), (10, 3, 20), (1_000, 300, 2_000)])
    func required_8_07_unwrittenAmongOthers(maxLength: Int, before: Int, after: Int) async throws {
      server.kill()
      let publisher = Publisher(initial: 0)
      let outlet = RedisOutlet(
        publisher, key: "key", endpoint: server.endpoint(timeout: .milliseconds(200)), maxLength: maxLength)
      let executor = QueueExecutor(label: "run")
      let run = Task(executorPreference: executor) { try await outlet.run() }
      try await until { outlet.health.error != nil }
      // Once it waits, it notes a cancel at once.
      await Task(executorPreference: executor) {}.value
      for number in 1...before { publisher.updateData(number) }
      run.cancel()
      for number in 0..<after { publisher.updateData(number) }
      // The first state is one of them, unless there is only room for one.
      let found = await reason(of: run)
      #expect(found == .unwritten(min(maxLength, before + 1)))
    }

    @Test("an outlet that is cancelled while a server keeps it waiting ends in time, although there are others to try")
    func required_8_07_cancelledWhileConnecting() async throws {
      let hosts = try (0..<2).map { _ in try SilentPort() }
      let endpoint = try hosts.sentinels(connectTimeout: .seconds(600), replyTimeout: .milliseconds(500))
      publisher.updateData(1)
      let run = Task { [outlet = outlet(endpoint)] in try await outlet.run() }
      try await until { publisher.subscriberCount == 1 }
      run.cancel()
      #expect(await reason(of: run) == .unwritten(1))
      withExtendedLifetime(hosts) {}
    }

    @Test("an outlet that has ended says so, and the next one needn't wait")
    func required_8_02_end() async throws {
      let first = outlet()
      publisher.updateData(1)
      try await running(first) {}
      let number = try #require(first.statistics.lastOutlet)
      #expect(try server.run("GET", "key:epoch") == "\(number) ended")
    }

    @Test("an outlet that was superseded doesn't say that the other one has ended")
    func required_8_02_endOfTheOther() async throws {
      publisher.updateData(1)
      let run = try await started(outlet())
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      // It may find out before it ends.
      run.cancel()
      _ = await run.result
      #expect(try server.run("GET", "key:epoch") == "\(RedisServer.lateOutlet)")
    }

    @Test(
      "a value that is too large for the server is an error with the data from before, and later states arrive",
      arguments: ["--proto-max-bulk-len", "--client-query-buffer-limit"])
    func required_8_04_8_05_tooLarge(option: String) async throws {
      let server = try await RedisServer(option, "1mb")
      let texts = Publisher(initial: "small")
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint(), retry: .quick)
      // It shares the connection.
      let neighbour = self.outlet(server.endpoint(), key: "neighbour")
      let mirror = mirror(server.endpoint(), of: String.self)
      let recorder = mirror.record()
      try await running(outlet, neighbour, mirror) {
        try await mirror.reach("small")
        texts.updateData(String(repeating: "l", count: 2 << 20))
        texts.updateData("later")
        try await mirror.reach("later")
        try await publisher.publish(1, writtenBy: neighbour)
      }
      let error = try #require(recorder.states.first { $0.error != nil })
      #expect((error.error as? RemoteError)?.message.contains("proto-max-bulk-len") == true)
      #expect(error.value == "small" && recorder.loaded == ["small", "later"])
      let states = mirror.statistics
      #expect((states.entries, states.skipped) == (3, 0))
      #expect((outlet.statistics.undecodable, neighbour.statistics.undecodable) == (1, 0))
      #expect(neighbour.statistics.skipped == 0)
    }

    @Test("a state that takes longer to be sent than a reply may take is written")
    func required_8_06_8_07_longSending() async throws {
      // 1.6 MB a second.
      let link = try Proxy(server) { _ in .trickles(everyMilliseconds: 40, by: 65_536) }
      let outlet = outlet(link.endpoint(timeout: .seconds(1)), coder: .digits)
      publisher.updateData(1)
      try await running(outlet) {
        try await publisher.publish(4_000_000, writtenBy: outlet)
        for number in 3...5 { publisher.updateData(number) }
        try await outlet.reach(Int(publisher.current.version))
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped, outlet.statistics.undecodable) == (5, 0, 0))
    }

    @Test("a state that can't be sent in time is an error with the data from before, and later states arrive")
    func required_8_06_neverSent() async throws {
      let digits = String(repeating: "7", count: 1_000)
      let link = try Proxy(server) { piece in
        guard !piece.isReply, let state = piece.bytes.firstRange(of: digits.utf8) else { return .passes(piece.bytes) }
        // What comes before it passes.
        return state.lowerBound == 0 ? .waits : .passes(Array(piece.bytes[..<state.lowerBound]))
      }
      let outlet = outlet(link.endpoint(timeout: .milliseconds(300)), coder: .digits)
      let mirror = RedisMirror(key: "key", endpoint: server.endpoint(), coder: .digits, retry: .quick)
      let recorder = mirror.record()
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        publisher.updateData(500_000)
        publisher.updateData(2)
        try await mirror.reach(2)
      }
      let error = try #require(recorder.states.first { $0.error != nil })
      #expect((error.error as? RemoteError)?.message.contains("longer") == true)
      #expect(error.value == 1 && recorder.loaded == [1, 2])
      #expect((outlet.statistics.undecodable, outlet.statistics.skipped) == (1, 0))
    }
  }

  extension RedisCoder where Value == Int {
    /// Encodes numbers as so many digits.
    fileprivate static var digits: RedisCoder {
      RedisCoder(encode: { Array(repeating: UInt8(ascii: "7"), count: $0) }, decode: { $0.count })
    }
  }
#endif
