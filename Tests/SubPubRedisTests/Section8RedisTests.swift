#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 Across processes", .timeLimit(.minutes(2)))
  struct Section8RedisTests {
    private let publisher = Publisher<Int>(label: "source")

    private func outlet(_ endpoint: RedisEndpoint, maxLength: Int = 10_000, key: String = "key") -> RedisOutlet<Int> {
      RedisOutlet(publisher, key: key, endpoint: endpoint, maxLength: maxLength, retry: .quick)
    }

    private func mirror(_ endpoint: RedisEndpoint, key: String = "key") -> RedisMirror<Int> {
      RedisMirror(key: key, endpoint: endpoint, label: "mirror", retry: .quick)
    }

    @Test("a mirror has every state in order: phases, values, previous values, and errors")
    func required_8_01_states() async throws {
      let server = try await RedisServer()
      let (outlet, mirror, recorder) = (outlet(server.endpoint()), mirror(server.endpoint()), Recorder<Int>())
      mirror.publisher.subscribe(recorder, on: .background)
      try await running(mirror) {
        try await recorder.wait { $0.phase == .loading }
        try await mirror.publisher.reach { $0 == .unknown }
        try await running(outlet) {
          publisher.startLoading()
          publisher.updateData(1)
          publisher.startLoading()
          publisher.setError(Offline(code: 7))
          publisher.reset()
          publisher.setError(Offline(code: 8))
          publisher.updateData(2)
          try await recorder.wait { $0 == .loaded(2) }
        }
      }
      let remote = { (code: Int) in
        RemoteError(type: String(reflecting: Offline.self), message: "Offline(code: \(code))")
      }
      let expected: [LoadState<Int>] = [
        .unknown, .loading(previous: nil), .unknown,  // There was no stream.
        .unknown,  // The outlet's first entry.
        .loading(previous: nil), .loaded(1), .loading(previous: 1), .error(remote(7), previous: 1), .unknown,
        .error(remote(8), previous: nil), .loaded(2),
      ]
      #expect(recorder.states == expected)
      #expect(mirror.statistics.lastVersion == 7)
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("a mirror goes on where it was when the server was killed and started again")
    func required_8_01_killedServer() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(proxy.endpoint(timeout: .milliseconds(300))))
      let recorder = Recorder<Int>()
      try await running(outlet) {
        publisher.updateData(0)
        try await running(mirror) {
          try await mirror.publisher.reach(0)
          mirror.publisher.subscribe(recorder, on: .background)
          for round in 1...3 {
            for number in 1...100 { publisher.updateData(round * 1_000 + number) }
            server.kill()
            // The mirror comes back when the outlet has written.
            proxy.mode = .stalls
            for number in 101...200 { publisher.updateData(round * 1_000 + number) }
            try await server.start()
            try await until { outlet.statistics.lastVersion == round * 200 + 1 }
            proxy.mode = .passes
            try await mirror.publisher.reach(round * 1_000 + 200)
          }
        }
      }
      // Once each, in order; the last one before a failure may be shown once more after it.
      let values = recorder.states.compactMap { if case .loaded(let value) = $0 { value } else { nil } }
      let expected = [0] + (1...3).flatMap { round in (1...200).map { round * 1_000 + $0 } }
      #expect(values.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == expected)
      #expect(mirror.statistics.skipped == 0)
      #expect(outlet.statistics.skipped == 0)
    }

    @Test("a server that has lost everything gets the current state again, without another publish")
    func required_8_01_emptyServer() async throws {
      let server = try await RedisServer()
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      try await running(outlet) {
        publisher.updateData(5)
        try await mirrored(by: mirror, 5)
        try server.run("FLUSHALL")
        // A new mirror knows nothing of what was.
        let late = self.mirror(server.endpoint())
        try await mirrored(by: late, 5)
      }
    }

    @Test("a stream that was deleted and begins anew with smaller numbers is followed from its beginning")
    func required_8_01_newStream() async throws {
      let server = try await RedisServer()
      let endpoint = server.endpoint(timeout: .milliseconds(300))
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      publisher.updateData(1)
      let mirror = mirror(endpoint)
      try await running(mirror) {
        try await running(outlet(endpoint)) { try await mirror.publisher.reach(1) }
        #expect(mirror.statistics.lastOutlet == RedisServer.lateOutlet + 1)
        try server.run("FLUSHALL")
        publisher.updateData(2)
        try await running(outlet(endpoint)) { try await mirror.publisher.reach(2) }
        #expect(try #require(mirror.statistics.lastOutlet) < RedisServer.lateOutlet)
      }
    }

    @Test("when the server has lost everything, and the publishing process was restarted, mirrors follow the new one")
    func required_8_01_everythingAnew() async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      try await running(mirror) {
        // Each round is a process: versions begin again at 1.
        for round in 1...3 {
          let publisher = Publisher<Int>()
          let outlet = RedisOutlet(publisher, key: "key", endpoint: server.endpoint(), retry: .quick)
          try await running(outlet) {
            for number in 1...(100 / round) { publisher.updateData(round * 1_000 + number) }
            try await mirror.publisher.reach(round * 1_000 + 100 / round)
          }
          try server.run("FLUSHALL")
        }
      }
    }

    @Test("an outlet that starts takes the key over, and the one before ends, even if it writes nothing")
    func required_8_02_takeOver() async throws {
      let server = try await RedisServer()
      let (first, second) = (outlet(server.endpoint()), outlet(server.endpoint()))
      let running = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      try await SubPubRedisTests.running(second.run) {
        let error = await #expect(throws: RedisSuperseded.self) { try await running.value }
        #expect(error == RedisSuperseded(endpoint: server.endpoint(), key: "key"))
        publisher.updateData(1)
        try await until { second.statistics.lastVersion == 1 }
      }
    }

    @Test("an outlet that was cut off while another took over writes nothing any more")
    func required_8_02_fenced() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let (first, second) = (outlet(proxy.endpoint(timeout: .seconds(1))), outlet(server.endpoint()))
      let running = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      proxy.mode = .stalls
      publisher.updateData(1)  // On its way, and held up.
      try await SubPubRedisTests.running(second.run) { try await until { second.statistics.entries == 1 } }
      proxy.mode = .passes
      await #expect(throws: RedisSuperseded.self) { try await running.value }
      #expect(try server.run("XLEN", "key") == "2")
      let entry = try #require(second.statistics.lastEntry)
      #expect(try server.run("XREVRANGE", "key", "+", "-", "COUNT", "1").hasPrefix(entry))
    }

    @Test(
      "an outlet that was cut off while the server lost everything and another took over ends, and the other doesn't")
    func required_8_02_fencedAfterLoss() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let (first, second) = (outlet(proxy.endpoint(timeout: .seconds(1))), outlet(server.endpoint()))
      for number in 1...10 { publisher.updateData(number) }
      let running = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      proxy.mode = .stalls
      try server.run("FLUSHALL")
      try await self.running(second) {
        proxy.mode = .passes
        publisher.updateData(11)
        await #expect(throws: RedisSuperseded.self) { try await running.value }
        publisher.updateData(12)
        try await until { second.statistics.lastVersion == 12 }
      }
    }

    @Test("outlets that start at the same time have numbers of their own")
    func required_8_02_sameTime() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let outlet = outlet(proxy.endpoint())
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      // The outlet has asked for the last number, and doesn't have it yet, when another one takes the next.
      proxy.mode = .stallsReplies
      let run = Task { try await outlet.run() }
      try await until { try server.run("CLIENT", "LIST").contains("cmd=xrevrange") }
      try server.run("INCR", "key:epoch")
      proxy.mode = .passes
      try await until { outlet.statistics.entries == 1 }
      #expect(outlet.statistics.lastOutlet == RedisServer.lateOutlet + 2)
      run.cancel()
      try await run.value
    }

    @Test("a write whose reply was lost is repeated, and not doubled")
    func required_8_02_lostReplies() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let failures = Locked(0)
      let outlet = RedisOutlet(
        publisher, key: "key", endpoint: proxy.endpoint(timeout: .milliseconds(300)), retry: .quick
      ) { _ in failures.withLock { $0 += 1 } }
      var (published, repeated) = (0, 0)
      try await running(outlet) {
        while repeated < 5 {
          let failuresBefore = failures.withLock { $0 }
          proxy.mode = .losesReplies
          for number in 1...20 { publisher.updateData(published + number) }
          func isWritten() throws -> Bool { try server.run("XLEN", "key") != "\(published + 1)" }
          // How many are written before the first reply is missing isn't certain: on a busy machine none, if the outlet
          // has to look at its number first.
          try await until { try isWritten() || failures.withLock { $0 } > failuresBefore }
          if try isWritten() { repeated += 1 }
          proxy.cut()
          proxy.mode = .passes
          published += 20
          try await until { outlet.statistics.lastVersion == published }
        }
      }
      #expect(try server.run("XLEN", "key") == "\(published + 1)")
      #expect(outlet.statistics.reconnects >= 5)
      #expect(outlet.statistics.entries == published + 1)
    }

    @Test("a late mirror is at the current state after one entry, whatever the stream holds")
    func required_8_03_lateMirror() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      try await running(outlet) {
        for number in 1...5_000 { publisher.updateData(number) }
        try await until { outlet.statistics.lastVersion == 5000 }
        let mirror = mirror(server.endpoint())
        try await mirrored(by: mirror, 5_000)
        #expect(mirror.statistics.entries == 1)
        #expect(mirror.statistics.skipped == 0)
      }
    }

    @Test("a mirror that falls behind what the stream holds goes on there, and counts what it skipped")
    func required_8_03_behind() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let (outlet, mirror) = (outlet(server.endpoint(), maxLength: 100), mirror(proxy.endpoint()))
      let recorder = Recorder<Int>()
      try await running(outlet) {
        publisher.updateData(0)
        try await until { outlet.statistics.lastVersion == 1 }
        try await running(mirror) {
          try await mirror.publisher.reach(0)
          mirror.publisher.subscribe(recorder, on: .background)
          proxy.mode = .stalls
          for number in 1...5_000 {
            publisher.updateData(number)
            if number % 50 == 0 { try await until { outlet.statistics.lastVersion == number + 1 } }
          }
          proxy.cut()
          proxy.mode = .passes
          try await mirror.publisher.reach(5_000)
        }
      }
      let values = recorder.states.compactMap(\.value)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 <= $1 })
      let statistics = mirror.statistics
      #expect(statistics.skipped > 4_000)
      #expect(statistics.skipped + statistics.entries == 5_001)
    }

    @Test("a lost connection is an error with the previous data, and the publishing side notices nothing")
    func required_8_04_lostConnection() async throws {
      let server = try await RedisServer()
      let (outlet, mirror) = (outlet(server.endpoint(), maxLength: 1_000), mirror(server.endpoint()))
      try await running(outlet) {
        publisher.updateData(1)
        try await running(mirror) {
          try await mirror.publisher.reach(1)
          server.kill()
          try await mirror.publisher.reach { $0.phase == .error }
          #expect(mirror.publisher.state.value == 1)
          let error = try #require(mirror.publisher.state.error as? RedisError)
          #expect(error.key == "key")
          guard case .unreachable = error.reason else { throw error }
          for number in 2...10_000 { publisher.updateData(number) }
          #expect(publisher.state == .loaded(10_000))
          try await server.start()
          try await mirror.publisher.reach(10_000)
        }
      }
      // At most 1,000 states were kept, and the oldest were dropped.
      #expect(outlet.statistics.skipped >= 9_999 - 1_000)
      #expect(outlet.statistics.entries + outlet.statistics.skipped == 10_001)
      #expect(mirror.statistics.skipped == outlet.statistics.skipped)
    }

    @Test("a mirror without a connection shows the last state again when there is one")
    func required_8_04_unchanged() async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      publisher.updateData(1)
      try await running(outlet(server.endpoint())) {}
      try await running(mirror) {
        try await mirror.publisher.reach(1)
        server.kill()
        try await mirror.publisher.reach { $0.phase == .error }
        try await server.start()
        try await mirror.publisher.reach(1)
        #expect(mirror.statistics.entries == 1)
        #expect(mirror.statistics.reconnects == 1)
      }
    }

    @Test(
      "an entry that can't be decoded is an error that names it, and the next one is read",
      arguments: [
        (["foo", "bar"], "it has no field phase"),
        (["phase", "gone"], #"its phase is "gone""#),
        (["phase", "loaded"], "it is loaded, and has no field value"),
        (["phase", "loaded", "value", "\"x\""], "typeMismatch"),
        (["phase", "loaded", "value", "\u{1}{%n%s"], "dataCorrupted"),
      ])
    func required_8_05_foreignEntry(fields: [String], reason: String) async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      publisher.updateData(1)
      try await running(outlet(server.endpoint())) {}
      try await running(mirror) {
        try await mirror.publisher.reach(1)
        try server.add(["\(RedisServer.lateOutlet)-5"] + fields)
        try await mirror.publisher.reach { $0.phase == .error }
        #expect(mirror.publisher.state.value == 1)
        let error = try #require(mirror.publisher.state.error as? RedisError)
        #expect("\(error)".contains("key key: entry \(RedisServer.lateOutlet)-5 isn't a state of the expected type: "))
        #expect("\(error)".localizedCaseInsensitiveContains(reason), "\(error)")
        try server.add(["\(RedisServer.lateOutlet)-6", "phase", "loaded", "value", "2"])
        try await mirror.publisher.reach(2)
        #expect(mirror.statistics.undecodable == 1)
      }
    }

    @Test("times, versions, and numbers that no outlet writes stop nobody")
    func required_8_05_extremeNumbers() async throws {
      let server = try await RedisServer()
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), staleAfter: .seconds(60), retry: .quick)
      let most = UInt64.max
      try await running(mirror) {
        try await mirror.publisher.reach { $0 == .unknown }
        for (number, since) in ["\(Int64.min)", "\(Int64.max)", "-1", "\(most)", "now", ""].enumerated() {
          try server.add(["1-\(number + 1)", "phase", "loaded", "value", "\(number)", "since", since])
          try await mirror.publisher.reach(number)
          #expect(mirror.publisher.isStale == [0, 2].contains(number))
        }
        for (number, id) in ["2-1", "2-\(most)", "3-1", "3-\(most)", "\(most)-1", "\(most)-\(most)"].enumerated() {
          try server.add([id, "phase", "loaded", "value", "\(100 + number)"])
          try await mirror.publisher.reach(100 + number)
        }
        #expect(mirror.statistics.skipped == .max)
        #expect(mirror.statistics.lastEntry == "\(most)-\(most)")
      }
    }

    @Test("an outlet keeps `maxLength` states, even if that is a small number", arguments: [1, 2, 10])
    func required_8_04_fewStates(maxLength: Int) async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let publisher = publisher
      // Whenever the outlet takes a state, there is another one already.
      let goesOn = Locked(true)
      let coder = RedisCoder<Int> { number in
        if goesOn.withLock({ $0 }) { publisher.updateData(number + 1) }
        return Array("\(number)".utf8)
      } decode: { _ in
        throw Offline(code: 0)
      }
      let failures = Locked(0)
      let outlet = RedisOutlet(
        publisher, key: "key", endpoint: proxy.endpoint(), maxLength: maxLength, coder: coder, retry: .quick
      ) { _ in failures.withLock { $0 += 1 } }
      try await running(outlet) {
        var (before, isFull) = (0, false)
        while !isFull {
          goesOn.withLock { $0 = false }
          proxy.mode = .passes
          publisher.updateData(0)
          try await until { outlet.statistics.lastVersion == Int(publisher.current.version) }
          before = outlet.statistics.entries
          let (failuresBefore, version) = (failures.withLock { $0 }, Int(publisher.current.version))
          goesOn.withLock { $0 = true }
          proxy.mode = .stallsReplies
          publisher.updateData(1)
          try await until {
            let last = try server.run("XREVRANGE", "key", "+", "-", "COUNT", "1").prefix { $0 != "\n" }
            isFull = Int(last.drop { $0 != "-" }.dropFirst()) ?? 0 >= version + max(1, maxLength / 2)
            // On a busy machine, the outlet may have to look at its number first, and the reply is missing.
            return isFull || failures.withLock { $0 } > failuresBefore
          }
        }
        goesOn.withLock { $0 = false }
        for number in 1_001...1_100 { publisher.updateData(number) }
        let last = Int(publisher.current.version)
        proxy.mode = .passes
        try await until { outlet.statistics.lastVersion == last }
        // One is on its way, and the newest follows it, even if the outlet may keep only one.
        #expect(outlet.statistics.entries - before <= max(2, maxLength))
        #expect(outlet.statistics.entries + outlet.statistics.skipped == last + 1)
      }
    }

    /// Runs a mirror until it has a value.
    private func mirrored(by mirror: RedisMirror<Int>, _ value: Int) async throws {
      try await running(mirror) { try await mirror.publisher.reach(value) }
    }

    /// Runs an outlet that has written the current state, until the end of the scope.
    private func running(_ outlet: RedisOutlet<Int>, _ body: () async throws -> Void) async throws {
      let before = outlet.statistics.entries
      try await SubPubRedisTests.running(outlet.run) {
        try await until { outlet.statistics.entries > before }
        try await body()
      }
    }

    private func running(_ mirror: RedisMirror<Int>, _ body: () async throws -> Void) async throws {
      try await SubPubRedisTests.running(mirror.run, body)
    }
  }
#endif
