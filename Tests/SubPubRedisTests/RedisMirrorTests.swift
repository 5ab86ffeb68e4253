#if Redis
  import Testing

  @Suite("Outlets and mirrors", .hangLimit)
  struct RedisMirrorTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("data keeps its origin and its age")
    func originAndAge() async throws {
      let clock = ManualClock()
      let manager = LoadingManager(staleAfter: .seconds(60), clock: clock) { 7 }
      let mirror = mirror(staleAfter: .seconds(60))
      await manager.refresh()
      clock.advance(by: .seconds(50))
      manager.publisher.republish()
      try await running(outlet(of: manager.publisher), mirror) {
        try await mirror.reach(7)
        #expect(mirror.publisher.current.origin == .loaded)
        let age = try #require(mirror.publisher.age(of: mirror.publisher.current))
        #expect(age >= .seconds(50) && age < .seconds(60))
        #expect(!mirror.publisher.isStale)
        clock.advance(by: .seconds(10))
        manager.publisher.startLoading()
        try await mirror.reach { $0 == .loading(previous: 7) }
        #expect(mirror.publisher.current.origin == .loaded)
        manager.publisher.updateData(8, age: .seconds(1_000))
        try await mirror.reach(8)
        #expect(mirror.publisher.current.origin == .published)
        #expect(mirror.publisher.isStale)
        let ancient = Duration.seconds(10_000_000_000)  // It was new before 1970.
        manager.publisher.updateData(9, age: ancient)
        try await mirror.reach(9)
        #expect(try #require(mirror.publisher.age(of: mirror.publisher.current)) >= ancient)
      }
    }

    @Test("data of a publisher that measures no ages is new when it is written")
    func ageOfWriting() async throws {
      publisher.updateData(1)
      let outlet = outlet()
      var written = ContinuousClock.now
      try await running(outlet) {
        written = .now
        // The age is measured from the data, and not from the error that carries it along.
        try await Task.sleep(for: .milliseconds(20))
        publisher.setError(Offline(code: 1))
        try await outlet.reach(2)
      }
      let mirror = mirror(staleAfter: .seconds(60))
      try await running(mirror) {
        try await mirror.reach { $0.phase == .error }
        #expect(mirror.publisher.state.value == 1)
        let atLeast = written.duration(to: .now) - .milliseconds(2)  // Ages are written in milliseconds.
        let age = try #require(mirror.publisher.age(of: mirror.publisher.current))
        #expect(age >= atLeast)
      }
    }

    @Test("keys and values may have any bytes")
    func anyBytes() async throws {
      let texts = Publisher<String>()
      let coder = RedisCoder<String>(encode: { Array($0.utf8) }, decode: { String(decoding: $0, as: UTF8.self) })
      // The last two are equal as strings.
      for (number, key) in ["%s%n\r\n$5\r\n", "{a}:\u{0}b", "", "e\u{301}", "\u{e9}"].enumerated() {
        let mirror = RedisMirror(key: key, endpoint: server.endpoint(), coder: coder)
        try await running(RedisOutlet(texts, key: key, endpoint: server.endpoint(), coder: coder), mirror) {
          for text in ["\r\n*1\r\n", "%s\u{0}%n", "", "\(number)"] { try await texts.publish(text, shownBy: mirror) }
        }
      }
      #expect(try server.run("DBSIZE") == "10", "each key has a stream and a counter of its own")
    }

    @Test("an outlet writes large states over one connection")
    func required_8_01_largeStates() async throws {
      let texts = Publisher<String>()
      // Made before, so that they are published faster than they can be written.
      let large = (1...40).map { String(repeating: "x", count: 1 << 20) + "\($0)" }
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint())
      let mirror = mirror(of: String.self)
      try await running(outlet, mirror) {
        try await texts.publish("small", shownBy: mirror)
        for text in large { texts.updateData(text) }
        try await mirror.reach { $0.value?.hasSuffix("x40") ?? false }
      }
      #expect(outlet.statistics.entries >= large.count)
      for part in [outlet, mirror] as [any Runnable] { #expect(part.statistics.reconnects == 0) }
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("a mirror that is behind converges, even if the server cuts off clients with large replies")
    func required_8_01_outputLimit() async throws {
      let texts = Publisher<String>()
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint())
      let mirror = mirror(proxy.endpoint(), of: String.self)
      try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 2000000 0 0")
      let large = String(repeating: "x", count: 250_000)
      try await running(outlet, mirror) {
        try await texts.publish("0", shownBy: mirror)
        proxy.mode = .stalls
        for number in 1...100 { texts.updateData(large + "\(number)") }
        try await outlet.reach(101)
        proxy.cut()
        proxy.mode = .passes
        try await mirror.reach(large + "100")
      }
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("an entry of 64 MB is an error, and the next one is read")
    func hugeEntry() async throws {
      // A sanitizer takes long to read it.
      let mirror = mirror(server.endpoint(timeout: .seconds(60)))
      try await running(mirror) {
        try await mirror.reach { $0 == .unknown }
        let file = "\(server.folder)/huge"
        try Data(repeating: UInt8(ascii: "7"), count: 64 << 20).write(to: URL(filePath: file))
        #expect(try server.run(["-x", "XADD", "key", "1-1", "phase", "loaded", "value"], input: file) == "1-1")
        try await mirror.reach { $0.phase == .error }
        #expect(
          mirror.reason?.description
            == "entry 1-1 isn't a state of the expected type: the value has 67108864 bytes, and the limit is 16777216")
        try server.add(["1-2", "phase", "loaded", "value", "7"])
        try await mirror.reach(7)
      }
    }

    @Test("replies that arrive in small pieces, with several in one, are read")
    func required_8_01_pieces() async throws {
      let link = try Proxy(server) {
        $0.isReply ? .trickles(everyMilliseconds: 1, by: 100) : .passes($0.bytes)
      }
      let sources = (0..<30).map { Publisher(initial: $0) }
      let mirrors = sources.indices.map { mirror(link.endpoint(), key: "key \($0)") }
      try await withThrowingTaskGroup { group in
        for (number, source) in sources.enumerated() {
          let outlet = outlet(link.endpoint(), of: source, key: "key \(number)")
          group.addTask { try await outlet.run() }
        }
        for round in 0..<5 {
          for (number, source) in sources.enumerated() { source.updateData(round * 100 + number) }
          // They begin together, so that there are many replies at once.
          if round == 1 { for mirror in mirrors { group.addTask { try await mirror.run() } } }
          if round > 0 { for (number, mirror) in mirrors.enumerated() { try await mirror.reach(round * 100 + number) } }
        }
        group.cancelAll()
        try await group.waitForAll()
      }
      for mirror in mirrors { #expect(mirror.statistics.reconnects == 0) }
    }

    @Test("hundreds of mirrors share one thread, two reading connections, and one that asks")
    func manyMirrors() async throws {
      let sources = (0..<20).map { _ in Publisher<Int>() }
      let mirrors = (0..<300).map { mirror(key: "key \($0)") }
      try await withThrowingTaskGroup { group in
        for (number, source) in sources.enumerated() {
          let outlet = outlet(of: source, key: "key \(number)")
          group.addTask { try await outlet.run() }
        }
        for mirror in mirrors + mirrors.map({ _ in mirror(key: "key 7") }) {
          group.addTask { try await mirror.run() }
        }
        for round in 1...20 {
          for (number, source) in sources.enumerated() { source.updateData(round * 1_000 + number) }
          for number in sources.indices { try await mirrors[number].reach(round * 1_000 + number) }
        }
        // A connection that was just made reads nothing yet.
        try await until {
          let clients = try server.run("CLIENT", "LIST").split(separator: "\n")
          let readers = clients.count { $0.contains("cmd=xread") }
          // Those that read: one for all, and one for those that were added later; besides them, that of the outlets,
          // one that asks, and this one.
          return (1...2).contains(readers) && clients.count == readers + 3
        }
        group.cancelAll()
        try await group.waitForAll()
      }
      try await until { try server.run("CLIENT", "LIST").split(separator: "\n").count == 1 }
    }

    @Test("once its run has ended, a mirror keeps its state, whatever is written")
    func afterItsRun() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      publisher.updateData(1)
      try await running(outlet) {
        for round in 1...50 {
          let run = try await started(mirror)
          let publishing = Task { for _ in 0..<100 { publisher.updateData(round) } }
          if round % 2 == 0 { try await mirror.reach { $0.phase == .loaded } }
          try await cancel(run)
          let version = mirror.publisher.current.version
          await publishing.value
          try await outlet.reach(Int(publisher.current.version))
          await mirror.publisher.drain()
          #expect(mirror.publisher.current.version == version)
        }
      }
    }

    @Test("a run of a task that was cancelled before does nothing")
    func cancelledBefore() async throws {
      let run = Task { [outlet = outlet(), mirror = mirror()] in
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await outlet.run()
        try await mirror.run()
        return mirror.publisher.current.version
      }
      #expect(try await run.value == 0)
      #expect(try server.run("EXISTS", "key", "key:epoch") == "0")
    }
  }
#endif
