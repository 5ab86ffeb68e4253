#if Redis
  import Testing

  #if DEBUG
    @testable import SubPubRedis
  #endif

  @Suite("8.04 Refusals that pass, and those that don't", .hangLimit)
  struct OutletRefusalTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test(
      "an outlet whose server refuses for a reason that passes goes on, however long that takes",
      arguments: [
        "ASK 12182 127.0.0.1:1", "MOVED 12182 nowhere", "CLUSTERDOWN Hash slot not served",
        "BUSY Redis is busy running a script.",
        "EXECABORT Transaction discarded because of: BUSY Redis is busy running a script.",
      ])
    func required_8_04_refusalPasses(refusal: String) async throws {
      let (clock, refuses) = (ManualClock(), Locked(false))
      let script = "return redis.error_reply('\(refusal)')"
      let command = "*3\r\n$4\r\nEVAL\r\n$\(script.utf8.count)\r\n\(script)\r\n$1\r\n0\r\n"
      let link = try Proxy(server) { piece in
        let isEntry = piece.contains("XADD") && !piece.contains("EVAL") && !piece.isReply
        return .passes(isEntry && refuses.withLock { $0 } ? Array(command.utf8) : piece.bytes)
      }
      publisher.updateData(1)
      let outlet = outlet(link.endpoint(), clock: clock)
      try await running(outlet) {
        refuses.withLock { $0 = true }
        publisher.updateData(2)
        for _ in 1...5 {
          let before = failureCount
          try await until {
            // More than the time-out in all.
            if clock.sleepers > 0 { clock.advance(by: .seconds(3)) }
            return failureCount > before
          }
        }
        refuses.withLock { $0 = false }
        try await until {
          if clock.sleepers > 0 { clock.advance(by: .milliseconds(20)) }
          return outlet.statistics.lastVersion == 2
        }
      }
    }

    @Test(
      "an outlet whose server goes on refusing to write ends with an error after the timeout",
      arguments: Refusal.allCases, [false, true])
    func required_8_04_goesOnRefusing(refusal: Refusal, hasWritten: Bool) async throws {
      let clock = ManualClock()
      let outlet = outlet(clock: clock)
      publisher.updateData(0)
      if !hasWritten { try refusal.begin(on: server) }
      let run = Task { try await outlet.run() }
      if hasWritten {
        try await until { outlet.statistics.entries == 1 }
        try refusal.begin(on: server)
        publisher.updateData(1)
      }
      // A refused write is tried again at once.
      try await until { failureCount == (hasWritten ? 2 : 1) }
      for _ in 1...3 {
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
      }
      let message = try #require(await reason(of: run)?.refusal)
      #expect(message.hasPrefix(refusal == .isReplica ? "READONLY " : "OOM "))
      #expect(failureCount == (hasWritten ? 4 : 3))
    }

    #if DEBUG
      @Test("a refusal passes, may pass, or lasts, by itself and as the reason of a transaction's end")
      func required_8_04_refusals() {
        let end = "EXECABORT Transaction discarded because of: "
        for (message, isPassing, refusesToWrite) in [
          ("BUSY Redis is busy", true, false), ("LOADING Redis is loading", true, false),
          ("MASTERDOWN Link with MASTER is down", true, false), ("TRYAGAIN Multiple keys", true, false),
          ("CLUSTERDOWN The cluster is down", true, false), ("ASK 1 a:1", true, false), ("MOVED 1 a:1", true, false),
          ("ERR max number of clients reached", true, false),
          ("OOM command not allowed", true, true), ("READONLY You can't write", true, true),
          ("NOREPLICAS Not enough good replicas", true, true), ("MISCONF Redis is configured", true, true),
          ("NOPERM no permissions", false, true), ("WRONGTYPE Operation", false, true), ("ERR unknown", false, true),
        ] {
          for text in [message, end + message] {
            let reason = RedisError.Reason.refused(text)
            #expect((reason.isPassing, reason.refusesToWrite) == (isPassing, refusesToWrite), "\(text)")
          }
        }
      }
    #endif
  }
#endif
