#if Redis
  import Testing

  @Suite("8.08 An outlet that was superseded never writes again", .hangLimit)
  struct OutletSupersessionTests: RedisSuite {
    /// The publisher of another process.
    private let latter = Publisher<Int>(label: "latter")
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// How the server loses what the second outlet has told it.
    enum Loss: CaseIterable {
      case deletes, expires, flushes, olderCounter, olderStream

      func lose(_ server: RedisServer) throws {
        switch self {
        case .deletes: try server.run("DEL", "key", "key:epoch")
        case .expires:
          try server.run("PEXPIRE", "key:epoch", "1")
          try server.run("PEXPIRE", "key", "1")
          while try ["key", "key:epoch"].contains(where: { try !server.run("PTTL", $0).hasPrefix("-") }) {}
        case .flushes: try server.run("FLUSHALL")
        case .olderCounter:
          try server.run("SET", "key:epoch", "5")
          try server.run("DEL", "key")
        case .olderStream:
          try server.run("DEL", "key:epoch")
          try server.run("RENAME", "older", "key")
        }
      }
    }

    /// Waits for longer than an outlet without contact is sure.
    private func outlast() async throws { try await Task.sleep(for: .milliseconds(3_500)) }

    /// Expects that an outlet, which goes on when another one has taken over and the server has lost something, is
    /// superseded, and that none of its states after the first is written.
    private func expectEnd(
      of first: RedisOutlet<Int>, _ run: Task<Void, any Error>, after loss: Loss, _ goOn: () -> Void
    ) async throws {
      let second = outlet(of: latter)
      latter.updateData(50)
      try await running(second) {
        try loss.lose(server)
        goOn()
        await #expect(throws: RedisSuperseded.self) { try await run.value }
        let (entry, number) = (try #require(second.statistics.lastEntry), try #require(first.statistics.lastOutlet))
        try await until { try server.lastEntry == entry }
        latter.updateData(100)
        try await until { try server.lastEntry == second.statistics.lastEntry && second.statistics.lastEntry != entry }
        #expect(try server.run("XRANGE", "key", "\(number)-2", "\(number)-18446744073709551615").isEmpty)
        #expect(try server.run("GET", "key:epoch") == "\(try #require(second.statistics.lastOutlet))")
      }
    }

    @Test(
      "whatever the server loses after another outlet has taken over, the former writes nothing",
      arguments: Loss.allCases, [false, true])
    func required_8_08_lossAfterTakeOver(loss: Loss, isLate: Bool) async throws {
      let (first, second) = (outlet(), outlet(of: latter))
      let mirror = mirror()
      let recorder = mirror.record()
      publisher.updateData(0)
      latter.updateData(1_000_000)
      let ended = Locked(false)
      let run = Task {
        defer { ended.withLock { $0 = true } }
        try await first.run()
      }
      try await running(mirror) {
        try await mirror.reach(0)
        try server.run("COPY", "key", "older")
        let number = try server.run("GET", "key:epoch")
        let secondRun = Task { try await second.run() }
        try await until { try server.run("GET", "key:epoch") != number }
        if isLate { try await mirror.reach(1_000_000) }
        try loss.lose(server)
        // The former outlet goes on until it knows.
        try await until {
          publisher.updateData(Int(publisher.current.version))
          return ended.withLock { $0 }
        }
        await #expect(throws: RedisSuperseded.self) { try await run.value }
        try await latter.publish(1_000_001, shownBy: mirror)
        // Until the other one writes, the former outlet is the living one.
        if isLate { #expect(try server.run("XRANGE", "key", "\(number)-2", number).isEmpty) }
        try await cancel(secondRun)
      }
      #expect(recorder.values == recorder.values.sorted())
    }

    @Test("an outlet that was cut off writes nothing when the server has lost everything", arguments: Loss.allCases)
    func required_8_08_cutOff(loss: Loss) async throws {
      let first = outlet(proxy.endpoint())
      publisher.updateData(0)
      let run = try await started(first)
      try server.run("COPY", "key", "older")
      proxy.mode = .stalls
      // It may be on its way already, and arrive when the key is gone. A stream from before would take it.
      if loss != .olderStream { publisher.updateData(1) }
      try await expectEnd(of: first, run, after: loss) {
        publisher.updateData(2)
        proxy.mode = .passes
      }
    }

    @Test("an outlet that was paused while it had something to write writes nothing", arguments: Loss.allCases)
    func required_8_08_paused(loss: Loss) async throws {
      let gate = Gate()
      let first = outlet(coder: .numbers { if $0 == 1 { gate.pass() } })
      publisher.updateData(0)
      let run = try await started(first)
      try server.run("COPY", "key", "older")
      publisher.updateData(1)
      try await gate.waitUntilHeld()
      try await expectEnd(of: first, run, after: loss) { gate.open() }
    }

    @Test("an outlet that was cut off writes nothing when the server comes back with older data")
    func required_8_08_olderData() async throws {
      let (first, second) = (outlet(proxy.endpoint()), outlet(of: latter))
      publisher.updateData(0)
      latter.updateData(50)
      let run = try await started(first)
      try server.keep()
      proxy.mode = .stalls
      publisher.updateData(1)
      try await running(second) {
        try await server.restore { proxy.mode = .passes }
        await #expect(throws: RedisSuperseded.self) { try await run.value }
        latter.updateData(100)
        try await until { try second.statistics.lastVersion == 2 && server.lastEntry == second.statistics.lastEntry }
        // Its first state, which was written before the other one took over, and nothing else.
        let number = try #require(first.statistics.lastOutlet)
        #expect(try server.run("XRANGE", "key", "-", "\(number)-18446744073709551615").hasPrefix("\(number)-1\n"))
        #expect(try server.length == 3)
      }
    }

    @Test("an outlet that was cut off while the server was started again waits before it writes, and looks meanwhile")
    func required_8_08_restarted() async throws {
      publisher.updateData(0)
      // It waits for twice this time.
      let run = try await started(outlet(proxy.endpoint(timeout: .seconds(20))))
      proxy.mode = .stalls
      publisher.updateData(1)
      try await outlast()
      server.kill()
      try await server.start()
      proxy.mode = .passes
      // It has looked at its number, and would have written its state before it looks again.
      try await until { try server.calls(of: "get") >= 2 }
      // Nobody can tell whether another outlet has taken over in the meantime, until it says so.
      let start = ContinuousClock.now
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      await #expect(throws: RedisSuperseded.self) { try await run.value }
      #expect(start.duration(to: .now) < .seconds(30))
      #expect(try server.length == 1)
    }

    @Test("an outlet that was cut off while the server lost everything goes on when no other one has a greater number")
    func required_8_08_alone() async throws {
      let first = outlet(proxy.endpoint(timeout: .milliseconds(500)))
      publisher.updateData(0)
      try await running(first) {
        let number = try #require(first.statistics.lastOutlet)
        proxy.mode = .stalls
        publisher.updateData(1)
        try await outlast()
        try server.run("FLUSHALL")
        let start = ContinuousClock.now
        proxy.mode = .passes
        try await until { try server.lastEntry == "\(number)-2" }
        #expect(start.duration(to: .now) > .milliseconds(2_900))
        #expect(try server.run("GET", "key:epoch") == "\(number)")
        try await publisher.publish(2, writtenBy: first)
        // The state from before the loss, and what was published since.
        #expect(try server.length == 3)
      }
    }

    // MARK: Restoring

    @Test(
      "a living outlet restores what is missing, without the wait of one that isn't sure", .serialized,
      arguments: [
        ["DEL", "key"], ["DEL", "key:epoch"], ["FLUSHALL"], ["PEXPIRE", "key", "1"], ["XDEL", "key", "LAST"],
        ["XTRIM", "key", "MAXLEN", "0"], ["SET", "key:epoch", "5"], ["RENAME", "older", "key"],
      ])
    func required_8_08_restores(loss: [String]) async throws {
      let first = outlet()
      try await running(first) {
        publisher.updateData(1)
        try await publisher.publish(2, writtenBy: first)
        try server.run("COPY", "key", "older")
        try await publisher.publish(3, writtenBy: first)
        let (entry, number) = (try #require(first.statistics.lastEntry), try #require(first.statistics.lastOutlet))
        // On a busy machine, an outlet may be held up for so long that it isn't sure any more, and waits.
        var took = Duration.seconds(100)
        for _ in 1...4 where took > .seconds(9) {
          let start = ContinuousClock.now
          try server.run(loss.map { $0 == "LAST" ? entry : $0 })
          // An expiry takes a moment.
          try await until { try server.run("PTTL", "key").hasPrefix("-") }
          try await until { try server.lastEntry == entry && server.run("GET", "key:epoch") == "\(number)" }
          took = start.duration(to: .now)
          try server.run("COPY", "key", "older")
        }
        #expect(took < .seconds(9))
        #expect(first.statistics.reconnects == 0)
        try await publisher.publish(4, writtenBy: first)
        #expect(try server.lastEntry == "\(number)-4")
      }
    }
  }
#endif
