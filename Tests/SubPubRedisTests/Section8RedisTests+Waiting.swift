#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 How long outlets and mirrors wait", .timeLimit(.minutes(2)))
  struct WaitingTests {
    private let publisher = Publisher<Int>(label: "source")
    /// What was reported while the outlet went on.
    private let failures = Locked<[RedisError]>([])

    private func outlet(
      _ endpoint: RedisEndpoint, maxLength: Int = 10_000, coder: RedisCoder<Int> = .json(),
      clock: any Clock<Duration> = ContinuousClock()
    ) -> RedisOutlet<Int> {
      RedisOutlet(
        publisher, key: "key", endpoint: endpoint, maxLength: maxLength, coder: coder, retry: .quick, clock: clock
      ) { [failures] error in failures.withLock { $0.append(error) } }
    }

    @Test("a reply that trickles in is too late after the timeout, and not only when a byte is missing for so long")
    func required_8_07_tricklingReply() async throws {
      let server = try await RedisServer()
      try server.addEntries(epoch: 5, versions: 1...1)
      let link = try RawServer.slow(to: server, everyMilliseconds: 60)
      let endpoint = link.endpoint(timeout: .milliseconds(500))
      let expected = RedisError.Reason.unreachable("the server takes longer than 0.5 seconds to reply")
      let mirror = RedisMirror<Int>(key: "key", endpoint: endpoint, retry: .quick)
      let run = Task { try await mirror.run() }
      try await mirror.publisher.reach { $0.phase == .error || $0.phase == .loaded }
      #expect((mirror.publisher.state.error as? RedisError)?.reason == expected)
      run.cancel()
      try await run.value
      let outlet = outlet(endpoint)
      let writing = Task { try await outlet.run() }
      try await until { try failures.withLock { !$0.isEmpty } || server.calls(of: "set") > 1 }
      #expect(failures.withLock { $0.first }?.reason == expected)
      writing.cancel()
      await #expect(throws: RedisError.self) { try await writing.value }
    }

    @Test("an outlet that takes a key over waits for the one before, even if its connection is lost meanwhile")
    func required_8_08_lostWhileWaiting() async throws {
      let server = try await RedisServer()
      try server.run("SET", "key:epoch", "5")
      let proxy = try LossyProxy(server)
      let outlet = outlet(proxy.endpoint(timeout: .milliseconds(500)))
      let start = ContinuousClock.now
      try await running(outlet.run) {
        try await until { try server.run("GET", "key:epoch") != "5" }
        proxy.cut()
        try await until { outlet.statistics.entries == 1 }
      }
      #expect(start.duration(to: .now) > .seconds(3))
      #expect(outlet.statistics.reconnects >= 1)
    }

    @Test("an outlet that sees its number in a reply that took long looks again before it writes")
    func required_8_08_slowLook() async throws {
      // On a busy machine, the outlet may be paused for so long that it looks at everything instead.
      for _ in 1...5 where try await looksSlowly() { return }
      Issue.record("it never looks only at its number")
    }

    /// Returns false if the outlet doesn't look only at its number.
    private func looksSlowly() async throws -> Bool {
      let server = try await RedisServer()
      let (isArmed, isHeld) = (Locked(false), Locked(false))
      let proxy = try ScriptedProxy(server) { piece in
        if isHeld.withLock({ $0 }), piece.isReply { return .waits }
        if !piece.isReply, isArmed.withLock({ $0 }), piece.contains("GET"), !piece.contains("WATCH") {
          isArmed.withLock { $0 = false }
          isHeld.withLock { $0 = true }
        }
        return .passes(piece.bytes)
      }
      let gate = Gate()
      let coder = RedisCoder<Int> { number in
        if number == 1 { gate.pass() }
        return Array("\(number)".utf8)
      } decode: { _ in
        0
      }
      publisher.updateData(0)
      let outlet = outlet(proxy.endpoint(timeout: .seconds(8)), coder: coder)
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      // It has looked a moment ago.
      let looks = try server.calls(of: "watch")
      try await until { try server.calls(of: "watch") > looks }
      publisher.updateData(1)
      try await gate.waitUntilHeld()
      isArmed.withLock { $0 = true }
      try await Task.sleep(for: .milliseconds(2_500))
      let (gets, adds) = (try server.calls(of: "get"), try server.calls(of: "xadd"))
      gate.open()
      try await until {
        try server.calls(of: "get") > gets && isHeld.withLock { $0 } || server.calls(of: "xadd") > adds
      }
      guard isHeld.withLock({ $0 }) else {
        run.cancel()
        try await run.value
        return false
      }
      // While the reply is on its way, another outlet takes the key over, and waits for as long as it has to.
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      try await Task.sleep(for: .milliseconds(3_300))
      isHeld.withLock { $0 = false }
      await #expect(throws: RedisSuperseded.self) { try await run.value }
      #expect(try server.run("XLEN", "key") == "1")
      return true
    }

    @Test(
      "an outlet that may keep one state ends when its server goes on refusing, even if newer states arrive",
      arguments: [["CONFIG", "SET", "maxmemory", "1"], ["REPLICAOF", "127.0.0.1", "1"]], [false, true])
    func required_8_04_keepsOneAndIsRefused(refusing: [String], goesOn: Bool) async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let outlet = outlet(server.endpoint(timeout: .seconds(5)), maxLength: 1, clock: clock)
      let hasEnded = Locked(false)
      let run = Task {
        defer { hasEnded.withLock { $0 = true } }
        try await outlet.run()
      }
      try await until { outlet.statistics.entries == 1 }
      try server.run(refusing)
      for number in 1...2 {
        publisher.updateData(number)
        try await until { failures.withLock { $0.count } >= number }
      }
      if goesOn {
        try server.run(refusing[0] == "CONFIG" ? ["CONFIG", "SET", "maxmemory", "0"] : ["REPLICAOF", "NO", "ONE"])
        try await until {
          if clock.sleepers > 0 { clock.advance(by: .milliseconds(20)) }
          return outlet.statistics.lastVersion == 2
        }
        run.cancel()
        return try await run.value
      }
      // More than the timeout on the clock, in more attempts than are needed.
      for number in 3...12 where !hasEnded.withLock({ $0 }) {
        publisher.updateData(number)
        let before = failures.withLock { $0.count }
        try await until {
          if clock.sleepers > 0 { clock.advance(by: .seconds(1)) }
          return hasEnded.withLock { $0 } || failures.withLock { $0.count } > before
        }
      }
      try #require(hasEnded.withLock { $0 }, "it takes something in between for a success")
      let error = await #expect(throws: RedisError.self) { try await run.value }
      guard case .refused = error?.reason else { throw try #require(error) }
    }

    @Test("a mirror that is refused, gets an answer, and is refused again, tries again")
    func required_8_04_refusedAgain() async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let mirror = RedisMirror<Int>(
        key: "key", endpoint: server.endpoint(timeout: .milliseconds(300)), retry: .quick, clock: clock)
      try await running(mirror.run) {
        for round in 1...2 {
          try server.run("DEL", "key")
          try server.run("SET", "key", "text")
          try await mirror.publisher.reach {
            ($0.error as? RedisError)?.reason.description.contains("WRONGTYPE") ?? false
          }
          try await clock.waitForSleepers(1)
          try server.run("DEL", "key")
          try server.addEntries(epoch: round, versions: 1...1, plus: round)
          clock.advance(by: .milliseconds(20))
          try await mirror.publisher.reach(round + 1)
        }
      }
    }

    @Test("after an answer, a mirror's delays begin again with the first")
    func required_8_04_mirrorDelaysBeginAgain() async throws {
      let server = try await RedisServer()
      let attempts = Locked<[Int]>([])
      let policy = RetryPolicy(maxAttempts: .max) { failures, _ in
        attempts.withLock { $0.append(failures) }
        return .milliseconds(20)
      }
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), retry: policy)
      try await running(mirror.run) {
        for round in 1...2 {
          try server.addEntries(epoch: round, versions: 1...1, plus: round)
          try await mirror.publisher.reach(round + 1)
          let before = attempts.withLock { $0.count }
          server.kill()
          try await until { attempts.withLock { $0.count } >= before + 3 }
          #expect(attempts.withLock { Array($0[before..<before + 3]) } == [1, 2, 3])
          try await server.start()
        }
      }
    }

    @Test("many servers that don't answer leave threads to the outlets of those that do")
    func required_8_07_manySilentServers() async {
      // In a process of its own, because the other tests' outlets need threads, too.
      await #expect(processExitsWith: .success) {
        let silent = try (0..<8).map { _ in try RawServer.silent() }
        let timeout = Duration.seconds(15)
        let publisher = Publisher<Int>()
        for server in silent {
          for number in 0..<20 {
            let outlet = RedisOutlet(publisher, key: "\(number)", endpoint: server.endpoint(timeout: timeout))
            Task { try await outlet.run() }
          }
        }
        // Almost all threads that there are for outlets.
        try await until { silent.map { $0.accepted.withLock { $0 } }.reduce(0, +) >= 54 }
        let server = try await RedisServer()
        let outlet = RedisOutlet(publisher, key: "key", endpoint: server.endpoint())
        let start = ContinuousClock.now
        try await running(outlet.run) { try await until { outlet.statistics.entries == 1 } }
        try #require(start.duration(to: .now) < timeout / 2)
      }
    }
  }
#endif
