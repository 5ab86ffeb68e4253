#if Redis
  import Testing

  @Suite("Section 8.09: an outlet that waits takes over when the one before has ended", .hangLimit)
  struct Section8StandbyTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    private func standby(
      _ endpoint: RedisEndpoint? = nil, of other: Publisher<Int>? = nil, lease: Duration = .seconds(60)
    ) -> RedisOutlet<Int> {
      RedisOutlet(
        other ?? publisher, key: "key", endpoint: endpoint ?? server.endpoint(), role: .standby(lease: lease),
        retry: .quick)
    }

    @Test("one writes and the other waits, and takes over at once when the first has ended")
    func required_8_09_waits() async throws {
      let (first, other) = (standby(), Publisher<Int>())
      let (second, mirror) = (standby(of: other), mirror())
      let recorder = mirror.record()
      publisher.updateData(1)
      try await running(mirror) {
        let writing = try await started(first)
        let number = try server.run("GET", "key:epoch")
        let waiting = Task { try await second.run() }
        try await until { second.health.isConnected }
        #expect(try first.health.isWriting && !second.health.isWriting && server.run("GET", "key:epoch") == number)
        // Not written, because another one writes; and old when this one does.
        for number in 100...110 { other.updateData(number) }
        try await publisher.publish(2, shownBy: mirror)
        try await cancel(writing)
        try await mirror.reach(110)
        #expect(second.health.isWriting && !first.health.isConnected)
        other.updateData(111)
        try await mirror.reach(111)
        try await cancel(waiting)
      }
      #expect(recorder.loaded.withoutRepeats == [1, 2, 110, 111])
      #expect(try server.run("EXISTS", "key:lease") == "0")
    }

    @Test("it waits until the lease has ended, and the one that was cut off finds out")
    func required_8_09_8_02_lease() async throws {
      let lease = Duration.seconds(12)
      let (first, other) = (standby(proxy.endpoint(), lease: lease), Publisher<Int>(initial: 7))
      let second = standby(of: other, lease: lease)
      publisher.updateData(1)
      let writing = try await started(first)
      let waiting = Task { try await second.run() }
      try await until { second.health.isConnected }
      // As long as the first renews its lease, nothing happens.
      try await server.waitForCalls(of: "pexpire", 1)
      #expect(!second.health.isWriting)
      proxy.mode = .stalls
      let start = ContinuousClock.now
      try await until { second.health.isWriting }
      // It is renewed at every third of that time, and a busy machine may be late.
      #expect(ContinuousClock.now - start > lease / 3)
      proxy.mode = .passes
      await #expect(throws: RedisSuperseded.self) { try await writing.value }
      #expect(second.health.isWriting)
      try await cancel(waiting)
    }

    @Test("two supervised outlets don't take the key from each other")
    func required_8_09_supervised() async throws {
      let outlets = [standby(lease: .seconds(12)), standby(lease: .seconds(12))]
      publisher.updateData(1)
      let ends = Locked(0)
      let supervisors = outlets.map { outlet in
        Task {
          while !Task.isCancelled {
            do { try await outlet.run() } catch { /* It is run again. */  }
            ends.withLock { $0 += 1 }
          }
        }
      }
      try await until { outlets.contains { $0.health.isWriting } }
      let number = try server.run("GET", "key:epoch")
      try await server.waitForCalls(of: "pexpire", 2)
      #expect(try server.run("GET", "key:epoch") == number)
      #expect(ends.withLock { $0 } == 0)
      for supervisor in supervisors { supervisor.cancel() }
      for supervisor in supervisors { await supervisor.value }
    }

    @Test("one that finds another outlet's lease when it takes over stands by")
    func required_8_09_leaseEnded() async throws {
      let (isHeld, hasArrived) = (Locked(true), Locked(false))
      let link = try Proxy(server) { piece in
        guard !piece.isReply, piece.contains("EVAL"), isHeld.withLock({ $0 }) else { return .passes(piece.bytes) }
        hasArrived.withLock { $0 = true }
        return .waits
      }
      let outlet = standby(link.endpoint(timeout: .seconds(60)), lease: .seconds(4))
      publisher.updateData(1)
      let run = Task { try await outlet.run() }
      try await until { hasArrived.withLock { $0 } }
      try server.run("SET", "key:lease", "somebody", "PX", "600000")
      isHeld.withLock { $0 = false }
      try await until { outlet.health.isConnected }
      #expect(!outlet.health.isWriting)
      #expect(try server.run("EXISTS", "key:epoch", "key") == "0")
      // It looks at every quarter of the time.
      let start = ContinuousClock.now
      try await server.waitForCalls(of: "pttl", 3)
      #expect(start.duration(to: .now) > .seconds(2))
      try server.run("SET", "key:epoch", "5 ended")
      try server.run("DEL", "key:lease")
      try await until { outlet.health.isWriting }
      try await until { try server.length == 1 }
      try await cancel(run)
    }

    @Test("one that has taken the lease, and lost the reply, doesn't wait for itself")
    func required_8_09_8_02_lostReply() async throws {
      let (isLost, isFirst) = (Locked(false), Locked<Void?>(()))
      let link = try Proxy(server) { piece in
        if !piece.isReply, piece.contains("EVAL"), isFirst.withLock({ $0.take() != nil }) {
          isLost.withLock { $0 = true }
        }
        return .passes(piece.isReply && isLost.withLock { $0 } ? [] : piece.bytes)
      }
      let outlet = standby(link.endpoint(timeout: .milliseconds(300)), lease: .seconds(600))
      publisher.updateData(1)
      let run = Task { try await outlet.run() }
      try await until { try server.run("EXISTS", "key:lease") == "1" }
      isLost.withLock { $0 = false }
      // Its lease is longer than the test may take.
      try await until { outlet.health.isWriting }
      try await cancel(run)
    }

    @Test("one that waits alone notices that its connection is dead, however seldom it looks at the lease")
    func required_8_07_8_09_deadConnection() async throws {
      let lease = Duration.seconds(86_400)
      let first = standby(lease: lease)
      let second = standby(proxy.endpoint(timeout: .milliseconds(500)), of: Publisher(initial: 7), lease: lease)
      publisher.updateData(1)
      try await running(first) {
        let waiting = Task { try await second.run() }
        try await until { second.health.isConnected }
        proxy.mode = .stalls
        try await until { !second.health.isConnected && second.health.error != nil }
        proxy.mode = .passes
        try await until { second.health.isConnected && second.health.error == nil }
        #expect(first.health.isWriting && !second.health.isWriting)
        try await cancel(waiting)
      }
    }

    @Test("one that waits returns at once when it is cancelled")
    func required_8_09_8_07_cancelled() async throws {
      let (first, second) = (standby(), standby(server.endpoint(timeout: .seconds(600)), of: Publisher(initial: 7)))
      publisher.updateData(1)
      try await running(first) {
        let waiting = Task { try await second.run() }
        try await until { second.health.isConnected }
        // Not after the endpoint's time-out, which is longer than the test may take.
        try await cancel(waiting)
        #expect(first.health.isWriting)
      }
    }
  }
#endif
