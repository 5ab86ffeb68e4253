#if Redis
  import Testing

  @Suite("8 How long outlets and mirrors wait, and when they try again", .hangLimit)
  struct WaitingTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test(
      "a reply that doesn't come, or trickles in, is too late after the timeout, however recently a byte has arrived",
      arguments: [false, true])
    func required_8_07_tricklingReply(trickles: Bool) async throws {
      try server.addEntries(epoch: 5, versions: 1...1)
      let link = try Proxy(server) { piece in
        if !piece.isReply { .passes(piece.bytes) } else if trickles { .trickles(everyMilliseconds: 60) } else { .waits }
      }
      let endpoint = link.endpoint(timeout: .milliseconds(500))
      let expected = RedisError.Reason.unreachable("the server takes longer than 0.5 seconds to reply")
      let mirror = mirror(endpoint)
      let start = ContinuousClock.now
      let run = try await started(mirror)
      try await mirror.reach { $0.phase == .error || $0.phase == .loaded }
      #expect(mirror.reason == expected)
      #expect(start.duration(to: .now) >= .milliseconds(500))
      try await cancel(run)
      publisher.updateData(1)
      let writing = Task { [outlet = outlet(endpoint)] in try await outlet.run() }
      try await until { try failureCount > 0 || server.calls(of: "set") > 1 }
      #expect(failures.withLock { $0.first }?.reason == expected)
      writing.cancel()
      _ = await reason(of: writing)
    }

    @Test("an outlet that takes a key over waits for the one before, even if its connection is lost meanwhile")
    func required_8_08_lostWhileWaiting() async throws {
      try server.run("SET", "key:epoch", "5")
      publisher.updateData(1)
      let outlet = outlet(proxy.endpoint(timeout: .milliseconds(500)))
      let start = ContinuousClock.now
      let run = Task { try await outlet.run() }
      try await until { try server.run("GET", "key:epoch") != "5" && outlet.health.isConnected }
      proxy.cut()
      // On a busy machine, the cut may come after the wait.
      try await until { outlet.statistics.entries == 1 && outlet.statistics.reconnects >= 1 }
      try await cancel(run)
      #expect(start.duration(to: .now) > .seconds(3))
    }

    @Test(
      "an outlet that may keep one state ends when its server goes on refusing, even if newer states arrive",
      arguments: Refusal.allCases, [false, true])
    func required_8_04_keepsOneAndIsRefused(refusal: Refusal, goesOn: Bool) async throws {
      let clock = ManualClock()
      let outlet = outlet(maxLength: 1, clock: clock)
      publisher.updateData(0)
      let hasEnded = Locked(false)
      let run = Task {
        defer { hasEnded.withLock { $0 = true } }
        try await outlet.run()
      }
      try await until { outlet.statistics.entries == 1 }
      try refusal.begin(on: server)
      for number in 1...2 {
        publisher.updateData(number)
        try await until { failureCount >= number }
      }
      if goesOn {
        try refusal.end(on: server)
        try await until {
          if clock.sleepers > 0 { clock.advance(by: .milliseconds(20)) }
          return outlet.statistics.lastVersion == 3
        }
        return try await cancel(run)
      }
      // More than the timeout on the clock, in more attempts than are needed.
      for number in 3...12 where !hasEnded.withLock({ $0 }) {
        publisher.updateData(number)
        let before = failureCount
        try await until {
          if clock.sleepers > 0 { clock.advance(by: .seconds(1)) }
          return hasEnded.withLock { $0 } || failureCount > before
        }
      }
      try #require(hasEnded.withLock { $0 }, "it takes something in between for a success")
      #expect(await reason(of: run)?.refusal != nil)
    }

    @Test(
      "a server that refuses to write, takes something, and refuses again, has the whole timeout again",
      arguments: Refusal.allCases)
    func required_8_04_refusesAgain(refusal: Refusal) async throws {
      let clock = ManualClock()
      let outlet = outlet(clock: clock)
      try await running(outlet) {
        for round in 1...3 {
          try refusal.begin(on: server)
          let before = failureCount
          publisher.updateData(round)
          try await until { failureCount >= before + 2 }
          try await clock.waitForSleepers(1)
          clock.advance(by: .seconds(3))
          try await until { failureCount >= before + 3 }
          try refusal.end(on: server)
          try await clock.waitForSleepers(1)
          clock.advance(by: .milliseconds(20))
          try await outlet.reach(round)
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

    @Test("a mirror that is refused, gets an answer, and is refused again, tries again")
    func required_8_04_refusedAgain() async throws {
      let clock = ManualClock()
      let mirror = mirror(server.endpoint(timeout: .milliseconds(300)), clock: clock)
      try await running(mirror) {
        for round in 1...2 {
          try server.run("DEL", "key")
          try server.run("SET", "key", "text")
          try await mirror.reach { ($0.error as? RedisError)?.reason.refusal?.contains("WRONGTYPE") ?? false }
          try await clock.waitForSleepers(1)
          try server.run("DEL", "key")
          try server.addEntries(epoch: round, versions: 1...1, plus: round)
          clock.advance(by: .milliseconds(20))
          try await mirror.reach(round + 1)
        }
      }
    }

    // MARK: Delays

    @Test(
      "after a success, the delays of an outlet, or of a mirror, begin again with the first",
      arguments: [false, true])
    func required_8_04_delaysBeginAgain(ofMirror: Bool) async throws {
      let attempts = Locked<[Int]>([])
      let policy = RetryPolicy.noting { number in attempts.withLock { $0.append(number) } }
      let outlet = outlet(retry: policy)
      let mirror = mirror(retry: policy)
      try await running(ofMirror ? mirror as any Runnable : outlet) {
        for round in 1...3 {
          if ofMirror {
            try await server.addEntries(epoch: round, versions: 1...1, plus: round, shownBy: mirror)
          } else {
            try await publisher.publish(round, writtenBy: outlet)
          }
          if round == 3 { break }
          let before = attempts.withLock { $0.count }
          server.kill()
          try await until { attempts.withLock { $0.count } >= before + 3 }
          #expect(attempts.withLock { Array($0[before..<before + 3]) } == [1, 2, 3])
          try await server.start()
        }
      }
    }
  }
#endif
