#if Redis
  import Testing

  @Suite("Section 8.09: an outlet that waits takes over when the one before has ended", .hangLimit)
  struct Section8LeaseTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    private func standby(
      _ endpoint: RedisEndpoint? = nil, of other: Publisher<Int>? = nil, lease: Duration = .seconds(60)
    ) -> RedisOutlet<Int> {
      RedisOutlet(
        other ?? publisher, key: "key", endpoint: endpoint ?? server.endpoint(), role: .standby(lease: lease),
        retry: .quick)
    }

    @Test("an outlet whose coder takes long renews its lease meanwhile")
    func required_8_09_slowCoder() async throws {
      let gate = Gate()
      let outlet = RedisOutlet(
        publisher, key: "key", endpoint: server.endpoint(), role: .standby(lease: .seconds(1)),
        coder: .numbers { if $0 == 2 { gate.pass() } }, retry: .quick)
      publisher.updateData(1)
      try await running(outlet) {
        publisher.updateData(2)
        try await gate.waitUntilHeld()
        try await server.waitForCalls(of: "pexpire", 2)
        gate.open()
        try await outlet.reach(2)
      }
    }

    @Test("an outlet renews its lease, its connection is checked, and its end comes while Swift's pool is blocked")
    func required_8_09_8_07_blockedPool() async {
      // In a process of its own, because the pool is that of all tests.
      await #expect(processExitsWith: .success) {
        let (server, gate) = (try await RedisServer(), Gate())
        let (publisher, timeout) = (Publisher(initial: 1), Duration.seconds(1))
        let outlet = RedisOutlet(
          publisher, key: "key", endpoint: server.endpoint(timeout: timeout), role: .standby(lease: .seconds(1)))
        let run = Task(executorPreference: QueueExecutor(label: "run")) { try await outlet.run() }
        try await until { outlet.statistics.entries == 1 }
        let calls = try ["pexpire", "xrevrange"].map { try server.calls(of: $0) }
        Thread.detachNewThread {
          let limit = TestLimit.Wait()
          func waits(_ goesOn: () throws -> Bool) {
            while (try? goesOn()) ?? true {
              if limit.nanosecondsLeft == 0 { exit(1) }
              usleep(2_000)
            }
          }
          waits { try server.calls(of: "pexpire") < calls[0] + 2 || server.calls(of: "xrevrange") < calls[1] + 2 }
          server.kill()
          publisher.updateData(2)
          run.cancel()
          waits { outlet.health.pending > 0 }
          gate.open()
        }
        // Dispatch may have threads for each priority.
        let blocked = [TaskPriority.high, .medium, .low, .background].flatMap { priority in
          (0..<4 * ProcessInfo.processInfo.activeProcessorCount).map { _ in Task(priority: priority) { gate.pass() } }
        }
        for each in blocked { await each.value }
        #expect(await reason(of: run) == .unwritten(1))
      }
    }

    @Test("an outlet that waits has nothing pending, its publisher drains, and its run ends when that finishes")
    func required_8_09_3_07_3_09_waitsForNothing() async throws {
      let other = Publisher(initial: 7)
      let (first, second) = (standby(lease: .seconds(60)), standby(of: other, lease: .seconds(60)))
      publisher.updateData(1)
      try await running(first) {
        let waiting = Task { try await second.run() }
        try await until { second.health.isConnected }
        for number in 100...110 { other.updateData(number) }
        try await other.drain(within: .seconds(3_600))
        #expect(second.health.pending == 0 && second.health.isConnected && !second.health.isWriting)
        #expect(second.statistics.skipped == 0)
        other.finish()
        try await waiting.value
        #expect(!second.health.isConnected && second.health.error == nil)
        #expect(first.health.isWriting)
        #expect(try server.length == first.statistics.entries)
      }
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

    @Test("one that finds another outlet's lease when it takes over stands by")
    func required_8_09_leaseEnded() async throws {
      let (isHeld, hasArrived) = (Locked(true), Locked(false))
      let link = try Proxy(server) { piece in
        guard !piece.isReply, piece.contains("EVAL"), isHeld.withLock({ $0 }) else { return .passes(piece.bytes) }
        hasArrived.withLock { $0 = true }
        return .waits
      }
      let outlet = standby(link.endpoint(timeout: .seconds(60)), lease: .seconds(1))
      publisher.updateData(1)
      let run = Task { try await outlet.run() }
      try await until { hasArrived.withLock { $0 } }
      try server.run("SET", "key:lease", "somebody", "PX", "600000")
      isHeld.withLock { $0 = false }
      try await until { outlet.health.isConnected }
      #expect(!outlet.health.isWriting)
      #expect(try server.run("EXISTS", "key:epoch", "key") == "0")
      // It looks again and again.
      try await server.waitForCalls(of: "pttl", 3)
      #expect(!outlet.health.isWriting)
      try server.run("SET", "key:epoch", "5 ended")
      try server.run("DEL", "key:lease")
      try await until { outlet.health.isWriting }
      try await until { try server.length == 1 }
      try await cancel(run)
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
