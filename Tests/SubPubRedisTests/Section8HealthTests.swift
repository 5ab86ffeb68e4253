#if Redis
  import Foundation
  import Testing

  @Suite("Section 8: health tells what is so, from the start to the end", .hangLimit)
  struct Section8HealthTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("the first connection replaces none, even if the server wasn't there before")
    func required_8_07_noReconnect() async throws {
      server.kill()
      let (outlet, mirror) = (outlet(), mirror())
      publisher.updateData(1)
      let parts: [any Runnable] = [outlet, mirror]
      let runs = parts.map { part in Task { try await part.run() } }
      try await until { mirror.health.error != nil && outlet.health.error != nil }
      try await server.start()
      try await mirror.reach(1)
      #expect(outlet.health.reconnects == 0 && mirror.health.reconnects == 0)
      // A connection that is lost, and not closed while it was idle.
      server.kill()
      publisher.updateData(2)
      try await until { mirror.health.error != nil && outlet.health.error != nil }
      try await server.start()
      try await mirror.reach(2)
      try await until { outlet.health.isWriting }
      #expect(outlet.health.reconnects == 1 && mirror.health.reconnects == 1)
      for run in runs { try await cancel(run) }
    }

    @Test("after an outlet was refused, health has the reason, and nothing is pending")
    func required_8_07_refused() async throws {
      try server.run("CONFIG", "SET", "requirepass", "secret")
      let outlet = outlet()
      publisher.updateData(1)
      let refusal = await reason(of: Task { try await outlet.run() })?.refusal
      let health = outlet.health
      #expect(health.error?.contains(try #require(refusal)) == true)
      #expect(!health.isConnected && !health.isWriting && health.pending == 0)
    }

    @Test("after an outlet has ended without having written everything, nothing is pending")
    func required_8_07_unwritten() async throws {
      let clock = ManualClock()
      let outlet = outlet(clock: clock)
      let run = try await started(outlet)
      server.kill()
      for number in 1...10 { publisher.updateData(number) }
      try await clock.waitForSleepers(1)
      #expect(outlet.health.pending == 10)
      run.cancel()
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(5))
      #expect(await reason(of: run) == .unwritten(10))
      #expect(outlet.health.pending == 0)
      #expect(outlet.health.error?.contains("10 states couldn't be written in time") == true)
    }

    @Test("a server that has replied in time isn't blamed because subscribers take long")
    func required_8_07_slowSubscriber() async throws {
      try server.addEntries(epoch: 1_000, versions: 1...1)
      let mirror = mirror(server.endpoint(timeout: .seconds(1)))
      let (slow, recorder) = (Recorder<Int>(), Recorder<Int>())
      // On the thread that receives.
      mirror.publisher.subscribe(slow, on: .immediate) { _, state in
        if state == .loaded(500) { Thread.sleep(forTimeInterval: 3) }
      }
      mirror.publisher.subscribe(recorder, on: .immediate)
      try await running(mirror) {
        try await mirror.reach(1)
        // So much that the thread doesn't receive a whole reply at once.
        let add =
          "redis.call('XADD', 'key', '1000-' .. i, 'phase', 'loaded', 'value', i, 'more', string.rep('x', 8000))"
        try server.run("EVAL", "for i = 2, 1000 do \(add) end", "0")
        try await mirror.reach(1_000)
      }
      #expect(mirror.health.reconnects == 0)
      #expect(recorder.states.allSatisfy { $0.phase != .error })
      #expect(recorder.states.suffix(1_000).map(\.value) == (1...1_000).map { $0 })
    }

    @Test("the lag of a late mirror isn't the age of the entry that it finds")
    func required_8_07_lagOfALateMirror() async throws {
      let mirror = mirror()
      let sent = { (seconds: Double) in "\(Int64((Date().timeIntervalSince1970 - seconds) * 1_000))" }
      try server.add(["1000-1", "phase", "loaded", "value", "1", "sent", sent(10_000)])
      try await running(mirror) {
        try await mirror.reach(1)
        #expect(try #require(mirror.health.lag) < .seconds(1_000))
        // That of an entry that is written later is what it took.
        try server.add(["1000-2", "phase", "loaded", "value", "2", "sent", sent(10_000)])
        try await mirror.reach(2)
        #expect(try #require(mirror.health.lag) >= .seconds(10_000))
      }
    }

    @Test(
      "every state that was published is pending until it is counted as written, and counts once", arguments: [1, 10])
    func stochastic_8_07_pending(burst: Int) async throws {
      let outlet = outlet()
      publisher.updateData(0)
      try await running(outlet) {
        try await until { outlet.health.pending == 0 }
        var published = outlet.statistics.entries
        for _ in 0..<50 {
          for number in 0..<burst { publisher.updateData(number) }
          published += burst
          var pending = burst
          while pending > 0 {
            pending = outlet.health.pending
            #expect(pending <= burst)
          }
          #expect(outlet.statistics.entries == published)
        }
      }
    }

    @Test("as JSON, the times of health are numbers of seconds, and what isn't known is left out")
    func required_8_07_json() throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let known = RedisHealth(
        isConnected: true, isWriting: true, lastContact: .seconds(60), lag: .milliseconds(6), reconnects: 1, pending: 2,
        error: "x")
      let texts = try [known, RedisHealth(isConnected: false)].map { health in
        let data = try encoder.encode(health)
        #expect(try JSONDecoder().decode(RedisHealth.self, from: data) == health)
        return String(decoding: data, as: UTF8.self)
      }
      let all =
        #"{"error":"x","isConnected":true,"isWriting":true,"lag":0.006,"lastContact":60,"pending":2,"reconnects":1}"#
      #expect(texts == [all, #"{"isConnected":false,"isWriting":false,"pending":0,"reconnects":0}"#])
    }

    @Test("the lag of an outlet that is never idle is that of the first state that isn't confirmed")
    func required_8_07_lagOfABusyOutlet() async throws {
      let held = Locked<String?>("-2\r\n")
      let link = try Proxy(server) { piece in
        let holds = held.withLock { $0 }.map(piece.contains) ?? false
        return piece.isReply && holds ? .waits : .passes(piece.bytes)
      }
      let outlet = outlet(link.endpoint(timeout: .seconds(60)))
      publisher.updateData(1)
      try await running(outlet) {
        publisher.updateData(2)
        try await until { outlet.health.lag.map { $0 > .milliseconds(20) } ?? false }
        let start = ContinuousClock.now
        publisher.updateData(3)
        held.withLock { $0 = "-3\r\n" }
        try await until { outlet.statistics.entries == 2 }
        try await until { outlet.health.lag.map { $0 > .zero } ?? false }
        let lag = try #require(outlet.health.lag)
        #expect(lag <= start.duration(to: .now))
        held.withLock { $0 = nil }
      }
    }
  }
#endif
