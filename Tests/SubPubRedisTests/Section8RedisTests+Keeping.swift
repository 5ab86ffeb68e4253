#if Redis
  import Testing

  extension Section8RedisTests {
    @Test("a late mirror is at the current state after one entry, whatever the stream holds")
    func required_8_03_lateMirror() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      try await running(outlet) {
        for number in 1...5_000 { publisher.updateData(number) }
        try await outlet.reach(5_000)
        try await running(mirror) { try await mirror.reach(5_000) }
        #expect((mirror.statistics.entries, mirror.statistics.skipped) == (1, 0))
      }
    }

    @Test("a mirror that falls behind what the stream holds goes on there, and counts what it skipped")
    func required_8_03_behind() async throws {
      let (outlet, mirror) = (outlet(maxLength: 100), mirror(proxy.endpoint()))
      publisher.updateData(0)
      let recorder = try await running(outlet, mirror) {
        try await mirror.reach(0)
        let recorder = mirror.record()
        proxy.mode = .stalls
        for number in 1...5_000 {
          publisher.updateData(number)
          if number % 50 == 0 { try await outlet.reach(number + 1) }
        }
        proxy.cut()
        proxy.mode = .passes
        try await mirror.reach(5_000)
        return recorder
      }
      #expect(recorder.values == recorder.values.sorted())
      let statistics = mirror.statistics
      #expect(statistics.skipped > 4_000)
      #expect(statistics.skipped + statistics.entries == 5_001)
    }

    @Test("a lost connection is an error with the previous data, and the publishing side notices nothing")
    func required_8_04_lostConnection() async throws {
      let (outlet, mirror) = (outlet(maxLength: 1_000), mirror())
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        for round in 1...2 {
          server.kill()
          try await mirror.reach { $0.phase == .error }
          #expect(mirror.publisher.state.value == 1)
          let error = try #require(mirror.publisher.state.error as? RedisError)
          #expect(error.key == "key")
          guard case .unreachable = error.reason else { throw error }
          if round == 2 { for number in 2...10_000 { publisher.updateData(number) } }
          #expect(publisher.state == .loaded(round == 1 ? 1 : 10_000))
          try await server.start()
          // If nothing was published, the last state is shown again.
          try await mirror.reach(round == 1 ? 1 : 10_000)
          if round == 1 { #expect(mirror.statistics.entries == 1 && mirror.statistics.reconnects == 1) }
        }
      }
      // At most 1,000 states were kept, and the oldest were dropped.
      #expect(outlet.statistics.skipped >= 9_999 - 1_000)
      #expect(outlet.statistics.entries + outlet.statistics.skipped == 10_000)
      #expect(mirror.statistics.skipped == outlet.statistics.skipped)
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
      let mirror = mirror()
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror) {
        try await mirror.reach(1)
        try server.add(["2-5"] + fields)
        try await mirror.reach { $0.phase == .error }
        #expect(mirror.publisher.state.value == 1)
        let error = "\(try #require(mirror.publisher.state.error as? RedisError))"
        #expect(error.contains("key key: entry 2-5 isn't a state of the expected type: "))
        #expect(error.localizedCaseInsensitiveContains(reason), "\(error)")
        try server.add(["2-6", "phase", "loaded", "value", "2"])
        try await mirror.reach(2)
        #expect(mirror.statistics.undecodable == 1)
      }
    }

    @Test("times, versions, and numbers that no outlet writes stop nobody")
    func required_8_05_extremeNumbers() async throws {
      let mirror = mirror(staleAfter: .seconds(60))
      let most = UInt64.max
      try await running(mirror) {
        try await mirror.reach { $0 == .unknown }
        for (number, since) in ["\(Int64.min)", "\(Int64.max)", "-1", "\(most)", "now", ""].enumerated() {
          try server.add(["1-\(number + 1)", "phase", "loaded", "value", "\(number)", "since", since])
          try await mirror.reach(number)
          #expect(mirror.publisher.isStale == [0, 2].contains(number))
        }
        for (number, id) in ["2-1", "2-\(most)", "3-1", "3-\(most)", "\(most)-1", "\(most)-\(most)"].enumerated() {
          try server.add([id, "phase", "loaded", "value", "\(100 + number)"])
          try await mirror.reach(100 + number)
        }
        #expect(mirror.statistics.skipped == .max)
        #expect(mirror.statistics.lastEntry == "\(most)-\(most)")
      }
    }

    @Test("an error keeps its type and its text through a chain of processes")
    func required_8_01_chain() async throws {
      let (first, second) = (mirror(key: "first"), mirror(key: "second"))
      let outlet = outlet(key: "first")
      let relay = self.outlet(of: first.publisher, key: "second")
      try await running(outlet, first, relay, second) {
        publisher.setError(Offline(code: 3))
        try await second.reach { $0.error is RemoteError }
        #expect(
          second.publisher.state.error as? RemoteError
            == RemoteError(type: String(reflecting: Offline.self), message: "Offline(code: 3)"))
      }
    }

    @Test("programs that a process starts don't inherit its connections, which end with it")
    func required_8_01_notInherited() async {
      await #expect(processExitsWith: .success) {
        let server = try await RedisServer()
        // The descriptors that a program would inherit.
        let inherited = { Set((3..<1_024 as Range<Int32>).filter { fcntl($0, F_GETFD) == 0 }) }
        let before = inherited()
        let publisher = Publisher<Int>()
        let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint())
        try await running(RedisOutlet(publisher, key: "key", endpoint: server.endpoint()), mirror) {
          try await publisher.publish(1, shownBy: mirror)
          // While a connection is being made, it still is one of them.
          try await until { inherited().isSubset(of: before) }
        }
      }
    }
  }
#endif
