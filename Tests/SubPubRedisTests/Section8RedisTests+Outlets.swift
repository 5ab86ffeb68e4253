#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 What an outlet has written, keeps, and says", .timeLimit(.minutes(2)))
  struct OutletTests {
    private let publisher = Publisher<Int>(label: "source")
    /// What was reported while the outlet went on.
    private let failures = Locked<[RedisError]>([])

    private func outlet(
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
      let outlet = outlet(proxy.endpoint(timeout: .seconds(1)), coder: coder)
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

    // MARK: Failures

    @Test("after a success, delays begin again with the first")
    func required_8_04_delaysBeginAgain() async throws {
      let server = try await RedisServer()
      let attempts = Locked<[Int]>([])
      let policy = RetryPolicy(maxAttempts: .max) { failures, _ in
        attempts.withLock { $0.append(failures) }
        return .milliseconds(20)
      }
      let outlet = outlet(server.endpoint(), retry: policy)
      try await running(outlet.run) {
        for round in 1...2 {
          publisher.updateData(round)
          try await until { outlet.statistics.lastVersion == round }
          let before = attempts.withLock { $0.count }
          server.kill()
          try await until { attempts.withLock { $0.count } >= before + 3 }
          #expect(attempts.withLock { Array($0[before..<before + 3]) } == [1, 2, 3])
          try await server.start()
        }
        publisher.updateData(3)
        try await until { outlet.statistics.lastVersion == 3 }
      }
    }

    @Test("a server that refuses to write, takes something, and refuses again, has the whole timeout again")
    func required_8_04_refusesAgain() async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let outlet = outlet(server.endpoint(timeout: .seconds(5)), clock: clock)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        for round in 1...3 {
          try server.run("CONFIG", "SET", "maxmemory", "1")
          let before = failures.withLock { $0.count }
          publisher.updateData(round)
          try await until { failures.withLock { $0.count } >= before + 2 }
          try await clock.waitForSleepers(1)
          clock.advance(by: .seconds(3))
          try await until { failures.withLock { $0.count } >= before + 3 }
          try server.run("CONFIG", "SET", "maxmemory", "0")
          try await clock.waitForSleepers(1)
          clock.advance(by: .milliseconds(20))
          try await until { outlet.statistics.lastVersion == round }
        }
      }
    }

    @Test(
      "a connection that the server closes while it is idle is replaced, and nobody is told", arguments: [false, true])
    func required_8_04_closedWhileIdle(publishes: Bool) async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let outlet = outlet(server.endpoint(), clock: clock)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        try await clock.waitForSleepers(1)
        try server.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        if publishes { publisher.updateData(1) } else { clock.advance(by: .seconds(1)) }
        try await until { outlet.statistics.reconnects == 1 }
        publisher.updateData(2)
        try await until { outlet.statistics.lastVersion == (publishes ? 2 : 1) }
      }
      #expect(failures.withLock { $0 } == [])
    }

    @Test("a server that takes bytes for a wrong protocol is asked again")
    func required_8_04_protocolError() async throws {
      let server = try RawServer.saying("-ERR Protocol error: invalid bulk length\r\n")
      let outlet = outlet(server.endpoint(), retry: RetryPolicy(maxAttempts: 3) { _, _ in .zero })
      let error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(server.accepted.withLock { $0 } == 3, "\(error.debugDescription)")
    }

    // MARK: What is written in place of a state

    @Test("a state that can't be encoded keeps the data from before, with its origin and its age")
    func required_5_01_8_05_unencodable() async throws {
      let server = try await RedisServer()
      let texts = Publisher<[Double]>()
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint())
      let mirror = RedisMirror<[Double]>(key: "key", endpoint: server.endpoint(), staleAfter: .seconds(60))
      try await running(outlet.run) {
        try await running(mirror.run) {
          texts.setState(.loaded([1]), origin: .cached, age: .seconds(3_600))
          try await mirror.publisher.reach([1])
          for state in [LoadState<[Double]>.loaded([.nan]), .loading(previous: [.nan])] {
            texts.setState(state)
            let version = texts.current.version
            try await until { outlet.statistics.lastVersion == Int(version) }
            try await mirror.publisher.reach { $0.phase == .error }
            #expect(mirror.publisher.state.value == [1])
            #expect(mirror.publisher.current.origin == .cached)
          }
          texts.reset()
          texts.updateData([.nan])
          try await mirror.publisher.reach { $0.phase == .error && $0.value == nil }
        }
      }
      #expect(outlet.statistics.undecodable == 3)
    }

    @Test("a long text of an error is cut, on both sides, and says so")
    func required_8_05_longText() async throws {
      struct Long: Error, CustomStringConvertible {
        var description: String { "x" + String(repeating: "é", count: 100_000) }
      }
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint())
      try await running(outlet.run) {
        try await running(mirror.run) {
          publisher.setError(Long())
          try await mirror.publisher.reach { $0.phase == .error }
          let message = try #require(mirror.publisher.state.error as? RemoteError).message
          #expect(message.hasPrefix("xé"))
          #expect(message.hasSuffix("é… (cut: the text has 200001 bytes)"))
          #expect(message.utf8.count < 4_200)
          #expect(try server.run("XREVRANGE", "key", "+", "-", "COUNT", "1").utf8.count < 5_000)
        }
      }
      try await running(mirror.run) {
        let long = String(repeating: "y", count: 100_000)
        try server.add(["\(RedisServer.lateOutlet)-1", "phase", "error", "error", long, "error-type", long])
        try await mirror.publisher.reach { ($0.error as? RemoteError)?.message.hasPrefix("y") ?? false }
        let remote = try #require(mirror.publisher.state.error as? RemoteError)
        for text in [remote.message, remote.type] {
          #expect(text.hasSuffix("y… (cut: the text has 100000 bytes)"))
          #expect(text.utf8.count < 4_200)
        }
      }
    }

    // MARK: Threads

    @Test("400 outlets to servers that don't answer leave threads to everybody else, and end in time")
    func required_1_04_8_07_manyOutlets() async throws {
      let (silent, server) = (try RawServer.silent(), try await RedisServer())
      let timeout = Duration.seconds(15)
      let runs = (0..<400).map { number in
        let outlet = RedisOutlet(
          publisher, key: "key\(number)", endpoint: silent.endpoint(timeout: timeout), retry: .quick)
        return Task { try await outlet.run() }
      }
      try await until { silent.accepted.withLock { $0 } >= 16 }
      let queue = DispatchQueue(label: "unrelated")
      let start = ContinuousClock.now
      // For as long as they would block the first time.
      while start.duration(to: .now) < timeout / 4 {
        let begin = ContinuousClock.now
        await queue.passed()
        #expect(begin.duration(to: .now) < timeout / 2)
        try await Task.sleep(for: .milliseconds(5))
      }
      // And the outlets of another server work.
      let (outlet, begin) = (outlet(server.endpoint()), ContinuousClock.now)
      try await running(outlet.run) { try await until { outlet.statistics.entries == 1 } }
      #expect(begin.duration(to: .now) < timeout)
      let cancelled = ContinuousClock.now
      for run in runs { run.cancel() }
      for run in runs {
        let error = await #expect(throws: RedisError.self) { try await run.value }
        #expect(error?.reason == .unwritten(1))
      }
      #expect(cancelled.duration(to: .now) < timeout * 2)
    }
  }
#endif
