#if Redis
  import Testing

  @Suite("A mirror whose user may read the last entry, and may not wait for more", .hangLimit)
  struct MirrorRefusalTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// Adds an entry and a user without `XREAD`, and returns that user's endpoint.
    private func prepare(_ server: RedisServer) throws -> RedisEndpoint {
      try server.addUser("reader", reading: true, "+xrevrange +type +get +time +auth")
      try server.addEntries(epoch: 1_000, versions: 1...1)
      return server.endpoint(username: "reader", password: "secret")
    }

    @Test("with one server, the repeated refusal ends the run")
    func required_8_04_forbidden() async throws {
      let mirror = mirror(try prepare(server))
      let recorder = mirror.record()
      let refusal = await reason(of: Task { try await mirror.run() })?.refusal
      #expect(try #require(refusal).hasPrefix("NOPERM "))
      // The last entry can be read.
      #expect(mirror.publisher.state.value == 1)
      try await mirror.publisher.drain(within: .seconds(3_600))
      #expect(recorder.states.count { $0.error != nil } == 2)
    }

    @Test("with two servers, it pauses when both have refused, and ends when they have refused again")
    func required_8_04_forbiddenByAll() async throws {
      let (other, clock) = (try await RedisServer(), ManualClock())
      let attempts = Locked<[Int]>([])
      let mirror = RedisMirror<Int>(
        key: "key", from: [try prepare(server), try prepare(other)],
        retry: .noting { failures in attempts.withLock { $0.append(failures) } }, clock: clock)
      let recorder = mirror.record()
      let run = try await started(mirror)
      // The clock stands still, so it does until the next line.
      try await clock.waitForSleepers(1)
      try await mirror.publisher.drain(within: .seconds(3_600))
      #expect(recorder.states.count { $0.error != nil } == 2)
      #expect(attempts.withLock { $0 } == [1])
      clock.advanceToNextDeadline()
      let refusal = await reason(of: run)?.refusal
      #expect(try #require(refusal).hasPrefix("NOPERM "))
      try await mirror.publisher.drain(within: .seconds(3_600))
      #expect(recorder.states.count { $0.error != nil } == 4)
      #expect(attempts.withLock { $0 } == [1])
    }
  }
#endif
