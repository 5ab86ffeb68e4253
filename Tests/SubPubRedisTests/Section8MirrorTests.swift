#if Redis
  import Testing

  @Suite("8 Across processes: mirrors", .serialized, .hangLimit)
  struct Section8MirrorTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("whatever other mirrors of the key do, a mirror skips nothing that the stream holds")
    func stochastic_8_06_others() async throws {
      let seed = UInt64.random(in: 0...9_999)
      print("seed \(seed)")
      let outlet = outlet(maxLength: 1_000_000)
      let mirrors = (0..<4).map { _ in mirror(proxy.endpoint(timeout: .milliseconds(500))) }
      let recorders = mirrors.map { $0.record() }
      let last = 20_000
      publisher.updateData(0)
      try await running(outlet) {
        let isOver = Locked(false)
        try await withThrowingTaskGroup { group in
          for (number, mirror) in mirrors.enumerated() {
            group.addTask {
              var generator = SeededGenerator(seed: seed + UInt64(number))
              // The first two run all the time, and the others come and go.
              while number > 1, !isOver.withLock({ $0 }) {
                let run = Task { try await mirror.run() }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<30, using: &generator)))
                try await cancel(run)
              }
              try await running(mirror) { try await mirror.reach(last) }
            }
          }
          group.addTask {
            var generator = SeededGenerator(seed: seed + 4)
            for number in 1...last {
              publisher.updateData(number)
              guard number % 100 == 0 else { continue }
              try await Task.sleep(for: .milliseconds(Int.random(in: 0..<10, using: &generator)))
              if Int.random(in: 0..<30, using: &generator) == 0 { proxy.cut() }
            }
            isOver.withLock { $0 = true }
          }
          try await group.waitForAll()
        }
      }
      try #require(outlet.statistics.skipped == 0)
      for (mirror, recorder) in zip(mirrors, recorders) {
        await mirror.publisher.drain()
        #expect(mirror.statistics.skipped == 0)
        let values = recorder.values.withoutRepeats
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 + 1 == $1 }, "each state once, and in order")
        #expect(values.last == last)
      }
    }

    @Test("a mirror that is behind another one, or comes late, doesn't take it back")
    func required_8_06_behindAnother() async throws {
      let (ahead, behind) = (mirror(), mirror())
      let (states, statesBehind) = (ahead.record(), behind.record())
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(behind) { try await behind.reach(1) }
      try server.addEntries(epoch: 1, versions: 2...2_000)
      try server.addEntries(epoch: 2, versions: 1...1, plus: 2_000)
      try await running(ahead) {
        try await ahead.reach(2_001)
        try await running(behind) {
          try await behind.reach(2_001)
          try await server.addEntries(epoch: 2, versions: 2...2, plus: 2_000, shownBy: behind)
          try await ahead.reach(2_002)
        }
        let late = mirror()
        for number in 3...5 {
          // It is current at once, each time.
          try await running(late) { try await late.reach(1_999 + number) }
          try await server.addEntries(epoch: 2, versions: number...number, plus: 2_000, shownBy: ahead)
        }
        #expect(late.statistics.skipped == 0)
      }
      await ahead.publisher.drain()
      await behind.publisher.drain()
      #expect(states.values == [2_001, 2_002, 2_003, 2_004, 2_005], "what the others repeat isn't for this one")
      #expect(statesBehind.values.withoutRepeats == Array(1...2_002))
      #expect(behind.statistics.skipped == 0)
    }

    @Test("what an outlet's first entry leaves out isn't skipped, and what later ones leave out is")
    func required_8_06_gaps() async throws {
      let mirror = mirror()
      try await running(mirror) {
        try await server.addEntries(epoch: 1, versions: 1...1, shownBy: mirror)
        try await server.addEntries(epoch: 2, versions: 10...10, shownBy: mirror)
        #expect(mirror.statistics.skipped == 0)
        try await server.addEntries(epoch: 2, versions: 13...13, shownBy: mirror)
        #expect(mirror.statistics.skipped == 2)
      }
    }

    enum Death: CaseIterable { case inWait, inReply, withNewMirror, withUnsentRead }

    @Test("a reading connection that is dead is an error, even if the other one works", arguments: Death.allCases)
    func required_8_07_deadConnection(death: Death) async throws {
      let (isDead, pieces) = (Locked(false), Locked(0))
      let proxy = try Proxy(server) { piece in
        guard piece.isReading, isDead.withLock({ $0 }) else { return .passes(piece.bytes) }
        let isFirst = pieces.withLock { pieces in
          pieces += 1
          return pieces == 1
        }
        return death == .inReply && piece.isReply && isFirst ? .passes(Array(piece.bytes.prefix(1_000))) : .waits
      }
      let mirrors = ["key", "other"].map { mirror(proxy.endpoint(timeout: .milliseconds(500)), key: $0) }
      try server.addEntries(epoch: 1, versions: 1...1)
      let run = try await started(mirrors[0])
      try await mirrors[0].reach(1)
      try await server.waitForClients("cmd=xread")
      isDead.withLock { $0 = true }
      if death == .inReply || death == .withUnsentRead { try server.addEntries(epoch: 1, versions: 2...1_000) }
      let other = death == .inWait ? nil : try await started(mirrors[1])
      try await mirrors[0].reach { $0.phase == .error }
      #expect(mirrors[0].publisher.state.value == 1)
      if other != nil { try await mirrors[1].reach { $0.phase == .error } }
      for run in [run, other].compactMap(\.self) { try await cancel(run) }
    }

    @Test("many mirrors with large states begin, even if the server cuts off clients with large replies")
    func required_8_01_outputLimitAtTheBeginning() async throws {
      let failures = Locked(0)
      let policy = RetryPolicy.noting { _ in failures.withLock { $0 += 1 } }
      let mirrors = (0..<40).map { mirror(of: String.self, key: "key \($0)", retry: policy) }
      let value = "cjson.encode(string.rep('x', 250000))"
      let script = "return redis.call('XADD', KEYS[1], '1-1', 'phase', 'loaded', 'value', \(value))"
      for number in mirrors.indices { try server.run("EVAL", script, "1", "key \(number)") }
      try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 600000 0 0")
      try await withThrowingTaskGroup { group in
        for mirror in mirrors { group.addTask { try await mirror.run() } }
        for mirror in mirrors { try await mirror.reach { $0.value?.count == 250_000 && $0.error == nil } }
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(failures.withLock { $0 } < 100 * mirrors.count, "it isn't by chance that few ask at a time")
    }

    // MARK: Connections

    @Test("a server that becomes a replica, or closes an idle connection, loses no mirror", arguments: [false, true])
    func required_8_04_replicaOrIdle(isIdle: Bool) async throws {
      // Nothing is asked for but what the test lets be asked for.
      let endpoint = server.endpoint(timeout: .seconds(3_600))
      let mirror = mirror(endpoint)
      let recorder = mirror.record()
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror) {
        try await mirror.reach(1)
        try await server.waitForClients("cmd=xread")
        if isIdle {
          try await server.waitForClients("cmd=time")
          let clients = try server.run("CLIENT", "LIST").split(separator: "\n")
          let idle = try #require(clients.first { $0.contains("cmd=time") }).drop { $0 != "=" }.dropFirst()
          try server.run("CLIENT", "KILL", "ID", String(idle.prefix { $0 != " " }))
          let other = self.mirror(endpoint, key: "other")
          try await running(other) { try await other.reach { $0 == .unknown } }
        } else {
          try Refusal.isReplica.begin(on: server)
          try Refusal.isReplica.end(on: server)
        }
        try await server.addEntries(epoch: 1, versions: 2...2, shownBy: mirror)
      }
      #expect(mirror.statistics.reconnects == 0)
      #expect(recorder.states.allSatisfy { $0.phase != .error })
    }

    @Test(
      "bytes that are damaged on the way are a lost connection",
      arguments: [
        (true, "phase", "phas\r\n$"), (true, "*1", "?1"), (false, "XREAD", "XRFAD"), (false, "*", "*x"),
        (false, "BLOCK", "BLQCK"), (false, "XREVRANGE", "XREVRANGF"),
      ])
    func required_8_04_damagedBytes(isReply: Bool, text: String, damaged: String) async throws {
      let rest = Locked(0)
      let proxy = try Proxy(server) { piece in
        guard piece.isReply == isReply, piece.contains(text) else { return .passes(piece.bytes) }
        let isDamaged = rest.withLock { rest in
          defer { rest -= 1 }
          return rest > 0
        }
        return .passes(isDamaged ? piece.bytes.replacing(text.utf8, with: damaged.utf8) : piece.bytes)
      }
      let mirror = mirror(proxy.endpoint(timeout: .seconds(1)))
      let recorder = mirror.record()
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror) {
        try await mirror.reach(1)
        rest.withLock { $0 = 1 }
        if !isReply { server.kill() }
        if !isReply { try await server.start() }
        try server.addEntries(epoch: 1, versions: 2...2)
        try await recorder.wait { $0.phase == .error }
        try await mirror.reach(2)
      }
      #expect(rest.withLock { $0 } < 1)
      #expect(mirror.statistics.skipped == 0)
    }
  }
#endif
