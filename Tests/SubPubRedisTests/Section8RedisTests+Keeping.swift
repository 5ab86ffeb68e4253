#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  extension Section8RedisTests {
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
  }
#endif
