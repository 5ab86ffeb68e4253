#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 What an outlet has written, keeps, and says", .timeLimit(.minutes(2)))
  struct OutletTests {
    let publisher = Publisher<Int>(label: "source")
    /// What was reported while the outlet went on.
    let failures = Locked<[RedisError]>([])

    func outlet(
      _ endpoint: RedisEndpoint, maxLength: Int = 10_000, coder: RedisCoder<Int> = .json(),
      retry: RetryPolicy = .quick, clock: any Clock<Duration> = ContinuousClock()
    ) -> RedisOutlet<Int> {
      RedisOutlet(
        publisher, key: "key", endpoint: endpoint, maxLength: maxLength, coder: coder, retry: retry, clock: clock
      ) { [failures] error in failures.withLock { $0.append(error) } }
    }

    // MARK: What counts as written

    @Test("a server that is full for moments holds exactly the entries that are confirmed, and the others are skipped")
    func required_8_06_fullForMoments() async throws {
      let server = try await RedisServer("--appendfsync", "no")
      let outlet = outlet(server.endpoint(), maxLength: 1_000_000)
      let commands = server.folder.appending(path: "commands")
      let pair = "CONFIG SET maxmemory 1\nCONFIG SET maxmemory 0\n"
      try Data(String(repeating: pair, count: 2_000).utf8).write(to: commands)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        for round in 1...5 {
          let toggling = Task.detached { try server.run([], input: commands) }
          for number in 1...2_000 {
            publisher.updateData(round * 10_000 + number)
            if number % 20 == 0 { try await Task.sleep(for: .microseconds(100)) }
          }
          _ = try await toggling.value
          let last = Int(publisher.current.version)
          try await until { outlet.statistics.lastVersion == last }
        }
      }
      let statistics = outlet.statistics
      #expect(!failures.withLock { $0.isEmpty } || statistics.skipped > 0)
      #expect(try server.run("XLEN", "key") == "\(statistics.entries)")
      #expect(statistics.entries + statistics.skipped == 10_001)
    }

    @Test("of the entries whose replies were lost, those that the stream holds are confirmed")
    func required_8_06_lostReplies() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      // All of them are on their way at once.
      let gate = Gate()
      let coder = RedisCoder<Int> { number in
        if number == 1 { gate.pass() }
        return Array("\(number)".utf8)
      } decode: { _ in
        0
      }
      let outlet = outlet(proxy.endpoint(), coder: coder)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        let number = try #require(outlet.statistics.lastOutlet)
        try server.run("CLIENT", "PAUSE", "100000", "WRITE")
        for number in 1...20 { publisher.updateData(number) }
        gate.open()
        try await until { try server.run("CLIENT", "LIST").contains("flags=b") }
        proxy.mode = .losesReplies
        try server.run("CLIENT", "UNPAUSE")
        try await until { try server.run("XLEN", "key") == "21" }
        try server.run(["XDEL", "key"] + (1...19).map { "\(number)-\($0)" })
        proxy.cut()
        proxy.mode = .passes
        try await until { outlet.statistics.lastVersion == 20 }
      }
      #expect(outlet.statistics.entries == 2)
      #expect(outlet.statistics.skipped == 19)
      #expect(try server.run("XLEN", "key") == "2")
    }

    // MARK: The end

    @Test("a cancelled outlet ends in time, even if bytes arrive all the time")
    func required_8_07_slowLink() async throws {
      let server = try await RedisServer()
      let link = try RawServer.slow(to: server, everyMilliseconds: 60)
      let timeout = Duration.seconds(8)
      let outlet = outlet(link.endpoint(timeout: timeout))
      publisher.updateData(1)
      let run = Task { try await outlet.run() }
      try await until { try server.run("CLIENT", "LIST").contains("cmd=xrevrange") }
      let start = ContinuousClock.now
      run.cancel()
      let error = await #expect(throws: RedisError.self) { try await run.value }
      #expect(start.duration(to: .now) < timeout * 2)
      #expect(error?.reason == .unwritten(1))
    }

    @Test("a cancelled outlet counts every state that isn't confirmed, and none that came after the cancel")
    func required_8_07_unwritten() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let clock = ManualClock()
      let encoded = Locked(0)
      let coder = RedisCoder<Int> { number in
        encoded.withLock { $0 = number }
        return Array("\(number)".utf8)
      } decode: { _ in
        0
      }
      let outlet = outlet(proxy.endpoint(timeout: .seconds(50)), coder: coder, clock: clock)
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      proxy.mode = .stallsReplies
      for number in 1...2_000 { publisher.updateData(number) }
      try await until { encoded.withLock { $0 } > 0 }
      run.cancel()
      try await clock.waitForSleepers(2)
      for number in 1...100 { publisher.updateData(number) }
      // Its actor waits for the server all the time, and doesn't know yet which state is the last.
      let start = ContinuousClock.now
      clock.advance(by: .seconds(50))
      let error = await #expect(throws: RedisError.self) { try await run.value }
      #expect(start.duration(to: .now) < .seconds(20))
      guard case .unwritten(let count) = error?.reason else { throw try #require(error) }
      #expect(count == 2_000)
    }

    // MARK: What is kept

    @Test("a stream holds exactly `maxLength` states if that is a small number", arguments: [1, 2, 10, 150])
    func required_8_04_exactLength(maxLength: Int) async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint(), maxLength: maxLength)
      try await running(outlet.run) {
        for number in 1...500 {
          publisher.updateData(number)
          if number % max(1, maxLength / 2) == 0 { try await until { outlet.statistics.lastVersion == number } }
        }
        try await until { outlet.statistics.lastVersion == 500 }
      }
      #expect(try server.run("XLEN", "key") == "\(maxLength)")
    }

    @Test(
      "an outlet that may keep one state writes one when there is a connection again, and counts the others at once")
    func required_8_04_keepsOne() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint(), maxLength: 1)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        server.kill()
        publisher.updateData(1)
        try await until { failures.withLock { !$0.isEmpty } }
        for number in 2...10 { publisher.updateData(number) }
        // The statistics are current without a connection.
        try await until { outlet.statistics.skipped >= 8 }
        try await server.start()
        try await until { outlet.statistics.lastVersion == 10 }
      }
      #expect(outlet.statistics.entries == 2)
      #expect(outlet.statistics.skipped == 9)
    }

    @Test("no more than 8 MB are on their way to the server, and a state")
    func required_8_04_bytesOnTheWay() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let encoded = Locked(0)
      let large = [UInt8](repeating: UInt8(ascii: "7"), count: 1 << 20)
      let coder = RedisCoder<Int> { _ in
        encoded.withLock { $0 += 1 }
        return large
      } decode: { _ in
        0
      }
      let outlet = outlet(proxy.endpoint(timeout: .seconds(4)), coder: coder)
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      proxy.mode = .stallsReplies
      for number in 1...40 { publisher.updateData(number) }
      // It has waited for a reply in vain, after it had sent what it may.
      try await until { failures.withLock { !$0.isEmpty } }
      #expect(encoded.withLock { $0 } <= 9)
      proxy.mode = .passes
      try await until { outlet.statistics.lastVersion == 40 }
      run.cancel()
      try await run.value
    }
  }
#endif
