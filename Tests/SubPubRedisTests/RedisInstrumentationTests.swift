#if Redis
  import Testing

  @Suite("An operator learns what happens to connections", .hangLimit)
  struct RedisInstrumentationTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    private final class Events: RedisInstrumentation {
      let all = Locked<[String]>([])

      private func note(_ part: RedisPart, _ what: String) {
        all.withLock { $0.append("\(part.isOutlet ? "outlet" : "mirror") of \(part.key) \(what)") }
      }

      func connected(_ part: RedisPart, isWriting: Bool) { note(part, isWriting ? "writes" : "is connected") }
      func disconnected(_ part: RedisPart) { note(part, "is disconnected") }
      func superseded(_ part: RedisPart) { note(part, "is superseded") }
      func refused(_ part: RedisPart, _ error: RedisError) { note(part, "is refused") }

      func wait(for event: String, count: Int = 1) async throws {
        try await until { all.withLock { all in all.count { $0 == event } } >= count }
      }
    }

    @Test("connections that are made, lost, and ended are told, of outlets and of mirrors")
    func required_7_04_8_07_connections() async throws {
      let events = Events()
      let outlet = RedisOutlet(
        publisher, key: "key", endpoint: server.endpoint(), retry: .quick, instrumentation: events)
      let mirror = RedisMirror<Int>(
        key: "key", endpoint: server.endpoint(), retry: .quick, instrumentation: events)
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        server.kill()
        for part in ["outlet", "mirror"] { try await events.wait(for: "\(part) of key is disconnected") }
        try await server.start()
        try await publisher.publish(2, shownBy: mirror)
        try await events.wait(for: "outlet of key writes", count: 2)
      }
      // A server that is about to start may refuse something.
      let all = events.all.withLock { $0 }.filter { !$0.hasSuffix("refused") }
      #expect(
        all.filter { $0.hasPrefix("outlet") } == Self.twice("outlet of key writes", "outlet of key is disconnected"))
      #expect(
        all.filter { $0.hasPrefix("mirror") }
          == Self.twice("mirror of key is connected", "mirror of key is disconnected"))
    }

    private static func twice(_ events: String...) -> [String] { events + events }

    @Test("a mirror that is run again tells of each connection once")
    func required_7_04_runAgain() async throws {
      let events = Events()
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), retry: .quick, instrumentation: events)
      try server.addEntries(epoch: 5, versions: 1...1)
      for count in 1...2 {
        try await running(mirror) { try await events.wait(for: "mirror of key is connected", count: count) }
      }
      #expect(
        events.all.withLock { $0 } == Self.twice("mirror of key is connected", "mirror of key is disconnected"))
    }

    /// Blocks the outlets that tell it of their connections.
    private final class Blockade: RedisInstrumentation {
      let blocked = Locked(0)
      private let end = DispatchSemaphore(value: 0)

      func connected(_ part: RedisPart, isWriting: Bool) {
        blocked.withLock { $0 += 1 }
        end.wait()
        end.signal()
      }

      func open() { end.signal() }
    }

    @Test("instrumentation that blocks outlets while they begin holds up no other outlet of their connection")
    func required_1_04_8_10_blockade() async throws {
      let blockade = Blockade()
      defer { blockade.open() }
      publisher.updateData(1)
      // More than begin at a time.
      let runs = (0..<20).map { number in
        let outlet = RedisOutlet(
          publisher, key: "key \(number)", endpoint: server.endpoint(), instrumentation: blockade)
        return Task { try await outlet.run() }
      }
      try await until { blockade.blocked.withLock { $0 } == runs.count }
      try await running(outlet()) {}
      blockade.open()
      for run in runs { try await cancel(run) }
    }

    @Test("an outlet that stands by, one that is superseded, and one that is refused are told")
    func required_7_04_8_09_roles() async throws {
      let events = Events()
      func outlet(_ role: RedisOutletRole, key: String = "key") -> RedisOutlet<Int> {
        RedisOutlet(
          publisher, key: key, endpoint: server.endpoint(), role: role, retry: .never, instrumentation: events)
      }
      publisher.updateData(1)
      let writing = Task { [first = outlet(.takeOver)] in try await first.run() }
      try await events.wait(for: "outlet of key writes")
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      await #expect(throws: RedisSuperseded.self) { try await writing.value }
      try await events.wait(for: "outlet of key is superseded")
      try server.run("SET", "other:lease", "somebody", "PX", "600000")
      let third = Task { [third = outlet(.standby(lease: .seconds(600)), key: "other")] in try await third.run() }
      try await events.wait(for: "outlet of other is connected")
      try await cancel(third)
      try server.run("SET", "text", "text")
      _ = await reason(of: Task { [fourth = outlet(.takeOver, key: "text")] in try await fourth.run() })
      try await events.wait(for: "outlet of text is refused")
    }

    @Test("entries that take longer than the limit are an error with their data")
    func required_8_07_lagLimit() async throws {
      let limited = RedisMirror<Int>(
        key: "key", endpoint: server.endpoint(timeout: .seconds(60)), retry: .quick, lagLimit: .seconds(60))
      try await running(limited) {
        try await until { limited.health.isConnected }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        try server.add(["5-1", "phase", "loaded", "value", "7", "sent", "\(now - 120_000)"])
        try await limited.reach { $0.phase == .error && $0.value == 7 }
        var lag = Duration.zero
        if case .behind(let found, limit: .seconds(60)) = limited.reason { lag = found }
        #expect(lag >= .seconds(120) && lag < .seconds(600), "\(String(describing: limited.reason))")
        try server.add(["5-2", "phase", "loaded", "value", "8", "sent", "\(now)"])
        try await limited.reach(8)
      }
    }

    @Test("value() of a mirror waits for a server that is to come, and throws what is wrong otherwise")
    func required_8_04_5_02_value() async throws {
      let clock = ManualClock()
      server.kill()
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), retry: .quick)
      let late = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), retry: .quick, clock: clock)
      publisher.updateData(7)
      let run = Task { try await mirror.run() }
      let value = Task { try await mirror.value() }
      try await until { mirror.reason != nil }
      // Nobody runs it.
      let waiting = Task { try await late.value(within: .seconds(5)) }
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(5))
      await #expect(throws: RedisError.self) { try await waiting.value }
      try await server.start()
      try await running(outlet()) {
        let found = try await value.value
        #expect(found == 7)
      }
      try server.run("DEL", "key")
      try server.add(["9999999999999-1", "phase", "error", "error", "broken"])
      try await mirror.reach { $0.error is RemoteError }
      await #expect(throws: RemoteError.self) { try await mirror.value() }
      try await cancel(run)
    }
  }
#endif
