#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 Across processes: mirrors", .serialized, .timeLimit(.minutes(2)))
  struct Section8MirrorTests {
    func mirror(_ endpoint: RedisEndpoint, key: String = "key") -> RedisMirror<Int> {
      RedisMirror(key: key, endpoint: endpoint, retry: .quick)
    }

    /// Returns a recorder of a mirror's states.
    func recorder<Value>(of mirror: RedisMirror<Value>) -> Recorder<Value> {
      let recorder = Recorder<Value>()
      mirror.publisher.subscribe(recorder, on: .background)
      return recorder
    }

    @Test("whatever other mirrors of the key do, a mirror skips nothing that the stream holds")
    func stochastic_8_06_others() async throws {
      let seed = UInt64.random(in: 0...9_999)
      print("seed \(seed)")
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let publisher = Publisher<Int>()
      let outlet = RedisOutlet(publisher, key: "key", endpoint: server.endpoint(), maxLength: 1_000_000)
      let mirrors = (0..<4).map { _ in mirror(proxy.endpoint(timeout: .milliseconds(500))) }
      let recorders = mirrors.map { recorder(of: $0) }
      let last = 20_000
      publisher.updateData(0)
      try await running(outlet.run) {
        try await until { outlet.statistics.lastVersion == 1 }
        let isOver = Locked(false)
        try await withThrowingTaskGroup { group in
          for (number, mirror) in mirrors.enumerated() {
            group.addTask {
              var generator = SeededGenerator(seed: seed + UInt64(number))
              // The first two run all the time, and the others come and go.
              while number > 1, !isOver.withLock({ $0 }) {
                let run = Task { try await mirror.run() }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<30, using: &generator)))
                run.cancel()
                try await run.value
              }
              try await running(mirror.run) { try await mirror.publisher.reach(last) }
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
        let values = recorder.states.compactMap(\.value).withoutRepeats
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 + 1 == $1 }, "each state once, and in order")
        #expect(values.last == last)
      }
    }

    @Test("a mirror that is behind another one doesn't take it back")
    func required_8_06_behindAnother() async throws {
      let server = try await RedisServer()
      let (ahead, behind) = (mirror(server.endpoint()), mirror(server.endpoint()))
      let (states, statesBehind) = (recorder(of: ahead), recorder(of: behind))
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(behind.run) { try await behind.publisher.reach(1) }
      try server.addEntries(epoch: 1, versions: 2...2_000)
      try server.addEntries(epoch: 2, versions: 1...1, plus: 2_000)
      try await running(ahead.run) {
        try await ahead.publisher.reach(2_001)
        try await running(behind.run) {
          try await behind.publisher.reach(2_001)
          try server.addEntries(epoch: 2, versions: 2...2, plus: 2_000)
          try await behind.publisher.reach(2_002)
          try await ahead.publisher.reach(2_002)
        }
      }
      await ahead.publisher.drain()
      await behind.publisher.drain()
      #expect(states.states.compactMap(\.value) == [2_001, 2_002])
      #expect(statesBehind.states.compactMap(\.value).withoutRepeats == Array(1...2_002))
      #expect(behind.statistics.skipped == 0)
    }

    @Test("what an outlet's first entry leaves out isn't skipped, and what later ones leave out is")
    func required_8_06_gaps() async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror.run) {
        try await mirror.publisher.reach(1)
        try server.addEntries(epoch: 2, versions: 10...10)
        try await mirror.publisher.reach(10)
        #expect(mirror.statistics.skipped == 0)
        try server.addEntries(epoch: 2, versions: 13...13)
        try await mirror.publisher.reach(13)
        #expect(mirror.statistics.skipped == 2)
      }
    }

    enum Death: CaseIterable { case inWait, inReply, withNewMirror, withUnsentRead }

    @Test("a reading connection that is dead is an error, even if the other one works", arguments: Death.allCases)
    func required_8_07_deadConnection(death: Death) async throws {
      let server = try await RedisServer()
      let (isDead, pieces) = (Locked(false), Locked(0))
      let proxy = try ScriptedProxy(server) { piece in
        guard piece.isReading, isDead.withLock({ $0 }) else { return .passes(piece.bytes) }
        let isFirst = pieces.withLock { pieces in
          pieces += 1
          return pieces == 1
        }
        return death == .inReply && piece.isReply && isFirst ? .passes(Array(piece.bytes.prefix(1_000))) : .waits
      }
      let timeout = Duration.seconds(2)
      let mirrors = ["key", "other"].map { mirror(proxy.endpoint(timeout: timeout), key: $0) }
      try server.addEntries(epoch: 1, versions: 1...1)
      let run = Task { try await mirrors[0].run() }
      try await mirrors[0].publisher.reach(1)
      try await until { try server.run("CLIENT", "LIST").contains("cmd=xread") }
      let failure = Locked<ContinuousClock.Instant?>(nil)
      let observation = mirrors[0].publisher.observe(on: .immediate) { state in
        if state.phase == .error { failure.withLock { $0 = $0 ?? .now } }
      }
      isDead.withLock { $0 = true }
      let start = ContinuousClock.now
      if death == .inReply || death == .withUnsentRead { try server.addEntries(epoch: 1, versions: 2...1_000) }
      let other = death == .inWait ? nil : Task { try await mirrors[1].run() }
      try await mirrors[0].publisher.reach { $0.phase == .error }
      // The publishing thread delivers last.
      try await until { failure.withLock { $0 != nil } }
      observation.cancel()
      let time = start.duration(to: try #require(failure.withLock { $0 }))
      #expect(time < timeout * 3, "twice the timeout, and some time for a busy machine")
      #expect(mirrors[0].publisher.state.value == 1)
      if other != nil { try await mirrors[1].publisher.reach { $0.phase == .error } }
      #expect(try server.calls(of: "client|unblock") < 50)
      for run in [run, other] {
        run?.cancel()
        try await run?.value
      }
    }

    @Test("a mirror that is behind converges, even if the server cuts off clients with large replies")
    func required_8_01_outputLimit() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let texts = Publisher<String>()
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint())
      let mirror = RedisMirror<String>(key: "key", endpoint: proxy.endpoint(), retry: .quick)
      try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 2000000 0 0")
      let large = String(repeating: "x", count: 250_000)
      try await running(outlet.run) {
        texts.updateData("0")
        try await running(mirror.run) {
          try await mirror.publisher.reach("0")
          proxy.mode = .stalls
          for number in 1...100 { texts.updateData(large + "\(number)") }
          try await until { outlet.statistics.lastVersion == 101 }
          proxy.cut()
          proxy.mode = .passes
          try await mirror.publisher.reach(large + "100")
        }
      }
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("many mirrors with large states begin, even if the server cuts off clients with large replies")
    func required_8_01_outputLimitAtTheBeginning() async throws {
      let server = try await RedisServer()
      let failures = Locked(0)
      let policy = RetryPolicy(maxAttempts: .max) { _, _ in
        failures.withLock { $0 += 1 }
        return .milliseconds(20)
      }
      let mirrors = (0..<40).map { number in
        RedisMirror<String>(key: "key \(number)", endpoint: server.endpoint(), retry: policy)
      }
      let value = "cjson.encode(string.rep('x', 250000))"
      let script = "return redis.call('XADD', KEYS[1], '1-1', 'phase', 'loaded', 'value', \(value))"
      for number in mirrors.indices { try server.run("EVAL", script, "1", "key \(number)") }
      try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 600000 0 0")
      try await withThrowingTaskGroup { group in
        for mirror in mirrors { group.addTask { try await mirror.run() } }
        for mirror in mirrors { try await mirror.publisher.reach { $0.value?.count == 250_000 && $0.error == nil } }
        group.cancelAll()
        try await group.waitForAll()
      }
      #expect(failures.withLock { $0 } < 100 * mirrors.count, "it isn't by chance that few ask at a time")
    }
  }
#endif
