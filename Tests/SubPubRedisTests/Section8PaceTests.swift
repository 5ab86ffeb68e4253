#if Redis
  import Testing

  @Suite("Section 8: what a mirror with a pace shows, and when", .hangLimit)
  struct Section8PaceTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    private func mirror(_ endpoint: RedisEndpoint? = nil, every pacing: Duration) -> RedisMirror<Int> {
      RedisMirror(key: "key", from: [endpoint ?? server.endpoint()], pacing: pacing, retry: .quick)
    }

    @Test("a mirror with a pace never shows an older copy of the stream")
    func required_8_08_pacedOlderCopy() async throws {
      publisher.updateData(1)
      try await running(outlet()) {}
      try server.run("COPY", "key", "copy")
      let mirror = mirror(every: .milliseconds(50))
      let recorder = mirror.record()
      let next = Publisher(initial: 2)
      try await running(mirror) {
        try await mirror.reach(1)
        try await running(outlet(of: next)) { try await mirror.reach(2) }
        #expect(try server.run("COPY", "copy", "key", "REPLACE") == "1")
        // That many take longer than an outlet has time to write what is missing.
        try await server.waitForCalls(of: "xrevrange", 60)
        #expect(mirror.publisher.state == .loaded(2))
        // And it goes on with the next state.
        next.updateData(3)
        try await running(outlet(of: next)) { try await mirror.reach(3) }
      }
      #expect(recorder.loaded.withoutRepeats == [1, 2, 3])
    }

    @Test("for how long an older copy was there before doesn't count when it appears again")
    func required_8_08_pacedOlderCopyAgain() async throws {
      // With a number that is ahead of the clock, the outlet has two seconds, which may be over on a busy machine.
      for _ in 1...10 where try await olderCopyAppearsAgain() { return }
      Issue.record("the older copy never goes in time")
    }

    /// Returns false if an older copy was there for too long.
    private func olderCopyAppearsAgain() async throws -> Bool {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint(), every: .milliseconds(50))
      let recorder = mirror.record()
      try server.addEntries(epoch: 5, versions: 1...1)
      try server.run("COPY", "key", "copy")
      try server.addEntries(epoch: RedisServer.lateOutlet, versions: 2...2)
      let isInTime = try await running(mirror) {
        try await mirror.reach(2)
        for number in 3...4 {
          let start = ContinuousClock.now
          try server.run("COPY", "copy", "key", "REPLACE")
          try await server.waitForCalls(of: "xrevrange", 2)
          try server.addEntries(epoch: RedisServer.lateOutlet, versions: number...number)
          guard start.duration(to: .now) < .milliseconds(1_800) else { return false }
          try await mirror.reach(number)
          // That many take longer than an outlet has time to write what is missing.
          if number == 3 { try await server.waitForCalls(of: "xrevrange", 60) }
        }
        return true
      }
      guard isInTime else { return false }
      await mirror.publisher.drain()
      #expect(recorder.loaded == [2, 3, 4])
      return true
    }

    @Test("a mirror with a pace shows the newest entry as soon as it has a connection again")
    func required_8_04_8_06_pacedNewest() async throws {
      let mirror = mirror(proxy.endpoint(timeout: .milliseconds(300)), every: .seconds(3_600))
      publisher.updateData(1)
      try await running(outlet(), mirror) {
        try await mirror.reach(1)
        proxy.mode = .stalls
        try await until { mirror.reason != nil }
        publisher.updateData(2)
        try await until { try server.lastEntry.hasSuffix("-\(publisher.current.version)") }
        proxy.mode = .passes
        // Not after the pace, which is longer than the test may take.
        try await mirror.reach(2)
        #expect(mirror.health.isConnected)
      }
    }

    @Test("a mirror with a pace shows no error when the server closes connections that are idle")
    func required_8_04_pacedIdle() async throws {
      let server = try await RedisServer("--timeout", "1")
      // It asks for nothing but the newest entry.
      let mirror = mirror(server.endpoint(timeout: .seconds(60)), every: .seconds(3))
      let recorder = mirror.record()
      try server.addEntries(epoch: 1_000, versions: 1...1)
      try await running(mirror) {
        try await mirror.reach(1)
        for version in 2...3 {
          // Then the connection is closed: the one that is left is the one that asks here.
          try await until { try server.run("CLIENT", "LIST").split(separator: "\n").count == 1 }
          try await server.addEntries(epoch: 1_000, versions: version...version, shownBy: mirror)
        }
      }
      #expect(recorder.states.filter { $0.error != nil }.isEmpty)
      #expect(mirror.health.reconnects == 0)
    }
  }
#endif
