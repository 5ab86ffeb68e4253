#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  extension OutletTests {
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
