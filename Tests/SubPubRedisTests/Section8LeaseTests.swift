#if Redis
  import Foundation
  import SubPubRedis
  import Testing

  @Suite("Section 8.09: leases that are lost, and outlets that wait for them", .hangLimit)
  struct Section8LeaseTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    private func standby(
      _ endpoint: RedisEndpoint? = nil, of other: Publisher<Int>? = nil, lease: Duration,
      clock: any Clock<Duration> = ContinuousClock()
    ) -> RedisOutlet<Int> {
      RedisOutlet(
        other ?? publisher, key: "key", endpoint: endpoint ?? server.endpoint(), role: .standby(lease: lease),
        retry: .quick, clock: clock)
    }

    @Test("an outlet whose lease the server has lost takes it again, and the one that waits goes on waiting")
    func required_8_09_8_08_lostLease() async throws {
      let lease = Duration.seconds(9)
      let (first, second) = (standby(lease: lease), standby(of: Publisher(initial: 7), lease: lease))
      publisher.updateData(1)
      let writing = try await started(first)
      let waiting = Task { try await second.run() }
      try await until { second.health.isConnected }
      let (holder, number) = (try server.run("GET", "key:lease"), try server.run("GET", "key:epoch"))
      for loss in [["DEL", "key:lease"], ["FLUSHALL"]] {
        // Then the one that waits looks sooner than the lease is renewed the next time.
        try await server.waitForCalls(of: "pexpire", 1)
        try server.run(loss)
        try await until { try server.run("EXISTS", "key:lease") == "1" }
        #expect(try server.run("GET", "key:lease") == holder)
        try await publisher.publish(Int(publisher.current.version), writtenBy: first)
        #expect(try server.run("GET", "key:epoch") == number)
        #expect(first.health.isWriting && second.health.isConnected && !second.health.isWriting)
      }
      try await cancel(writing)
      try await until { second.health.isWriting }
      try await cancel(waiting)
    }

    @Test(
      "an outlet that waits, and has last seen a lease near its end, leaves a whole one to the one that has lost it")
    func required_8_09_8_08_lateRenewal() async throws {
      let lease = Duration.seconds(12)
      let first = standby(proxy.endpoint(timeout: .seconds(60)), lease: lease)
      let second = standby(of: Publisher(initial: 7), lease: lease)
      publisher.updateData(1)
      let writing = try await started(first)
      let waiting = Task { try await second.run() }
      try await until { second.health.isConnected }
      let (holder, number) = (try server.run("GET", "key:lease"), try server.run("GET", "key:epoch"))
      proxy.mode = .stalls
      // As if the first had been about to renew it.
      try server.run("PEXPIRE", "key:lease", "7000")
      try await server.waitForCalls(of: "pttl", 1)
      try server.run("DEL", "key:lease")
      let looks = try server.calls(of: "pttl")
      // It looks at every quarter of its lease.
      try await until { try server.calls(of: "pttl") >= looks + 3 || server.run("GET", "key:epoch") != number }
      #expect(try server.run("EXISTS", "key:lease") == "0")
      proxy.mode = .passes
      try await until { try server.run("EXISTS", "key:lease") == "1" }
      #expect(try server.run("GET", "key:lease") == holder)
      try await publisher.publish(2, writtenBy: first)
      #expect(try server.run("GET", "key:epoch") == number)
      for run in [waiting, writing] { try await cancel(run) }
    }

    @Test("an outlet that was superseded doesn't take a lease that the server has lost")
    func required_8_09_8_08_lostLeaseOfASuperseded() throws {
      let renewal = ["EVAL", OutletScript.renew.source, "2", "key:epoch", "key:lease", "me", "60000"]
      // Beside its own number, another one's lease is an older copy.
      let cases = [
        ("8", "", "0"), ("7", "", "1"), ("", "", "1"), ("8", "me", "1"), ("7", "other", "1"), ("8", "other", "0"),
        ("6", "other", "0"), ("", "other", "0"),
      ]
      for (number, lease, result) in cases {
        try server.run("DEL", "key:epoch", "key:lease")
        if !number.isEmpty { try server.run("SET", "key:epoch", number) }
        if !lease.isEmpty { try server.run("SET", "key:lease", lease) }
        #expect(try server.run(renewal + ["7"]) == result, "\(number) \(lease)")
      }
    }

    @Test("an outlet that waits for the one before to notice renews its lease meanwhile")
    func required_8_09_8_08_renewsWhileWaiting() async throws {
      // Nobody has the lease, and the outlet of that number hasn't ended.
      try server.addEntries(epoch: 1_000, versions: 1...1)
      // Its own clock measures other times.
      let outlet = standby(lease: .seconds(1), clock: ManualClock())
      publisher.updateData(2)
      let run = Task { try await outlet.run() }
      try await until { try server.run("GET", "key:epoch") != "1000" }
      #expect(!outlet.health.isWriting)
      let holder = try server.run("GET", "key:lease")
      // The wait has three times the length of the lease.
      try await until { outlet.health.isWriting }
      #expect(try server.calls(of: "pexpire") >= 3)
      #expect(try server.run("GET", "key:lease") == holder)
      try await cancel(run)
    }

    @Test("an outlet whose states take long to be encoded renews its lease between two of them")
    func required_8_09_slowCoder() async throws {
      let lease = Duration.seconds(1)
      let slow = RedisOutlet(
        publisher, key: "key", endpoint: server.endpoint(), role: .standby(lease: lease),
        coder: .numbers { _ in Thread.sleep(forTimeInterval: 0.05) }, retry: .quick)
      let second = standby(of: Publisher(initial: 7), lease: lease)
      publisher.updateData(1)
      try await running(slow) {
        let waiting = Task { try await second.run() }
        try await until { second.health.isConnected }
        let holder = try server.run("GET", "key:lease")
        // Fewer than are sent at a time, and together they take longer than the lease lasts.
        for number in 2...60 { publisher.updateData(number) }
        try await slow.reach(60)
        #expect(try server.run("GET", "key:lease") == holder)
        #expect(slow.health.isWriting && !second.health.isWriting)
        try await cancel(waiting)
      }
    }

    @Test("an outlet renews its lease, its connection is checked, and its end comes while Swift's pool is blocked")
    func required_8_09_8_07_blockedPool() async {
      // In a process of its own, because the pool is that of all tests.
      await #expect(processExitsWith: .success) {
        let (server, gate) = (try await RedisServer(), Gate())
        let (publisher, timeout) = (Publisher(initial: 1), Duration.seconds(2))
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
          waits { try server.calls(of: "pexpire") < calls[0] + 6 || server.calls(of: "xrevrange") < calls[1] + 3 }
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
  }
#endif
