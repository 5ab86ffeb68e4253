#if Redis
  import Testing

  @Suite("8 What an outlet has written, keeps, and says", .hangLimit)
  struct OutletTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    // MARK: What counts as written

    @Test("a server that is full for moments holds exactly the entries that are confirmed, and the others are skipped")
    func required_8_06_fullForMoments() async throws {
      let server = try await RedisServer("--appendfsync", "no")
      let outlet = outlet(server.endpoint(timeout: .seconds(60)), maxLength: 1_000_000)
      let commands = "\(server.folder)/commands"
      let pair = "CONFIG SET maxmemory 1\nCONFIG SET maxmemory 0\n"
      try Data(String(repeating: pair, count: 2_000).utf8).write(to: URL(filePath: commands))
      try await running(outlet) {
        var round = 0
        // On a busy machine, the moments may fall between two writes.
        while round < 5 || failureCount == 0 && outlet.statistics.skipped == 0 {
          round += 1
          let isOver = Locked(false)
          let toggling = Task.detached {
            defer { isOver.withLock { $0 = true } }
            try server.run([], input: commands)
          }
          while !isOver.withLock({ $0 }) {
            for _ in 1...20 { publisher.updateData(Int(publisher.current.version)) }
            try await Task.sleep(for: .microseconds(100))
          }
          try await toggling.value
          try await outlet.reach(Int(publisher.current.version))
        }
      }
      let statistics = outlet.statistics
      #expect(try server.length == statistics.entries)
      #expect(statistics.entries + statistics.skipped == Int(publisher.current.version))
    }

    @Test("once it knows that a state was refused, an outlet sends that one again, and nothing else before it")
    func required_8_06_afterRefusal() async throws {
      let gate = Gate()
      let outlet = outlet(proxy.endpoint(), coder: .numbers { if $0 == 2 { gate.pass() } })
      let other = Publisher(initial: 1)
      let neighbor = self.outlet(proxy.endpoint(), of: other, key: "neighbor")
      try await running(outlet, neighbor) {
        try server.run("CONFIG", "SET", "maxmemory", "1")
        proxy.mode = .stallsReplies
        publisher.updateData(1)
        try await until { try server.run("INFO", "errorstats").contains("errorstat_OOM:") }
        // While this one is encoded, it learns that the one before was refused, and nobody can do anything about it.
        publisher.updateData(2)
        try await gate.waitUntilHeld()
        try server.run("CONFIG", "SET", "maxmemory", "0")
        proxy.mode = .passes
        // It shares the connection, and its reply comes later.
        try await other.publish(2, writtenBy: neighbor)
        gate.open()
        try await outlet.reach(2)
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped) == (2, 0))
    }

    /// Publishes 1 to 20, which are on their way to the server at once when it writes them and their replies are lost.
    private func loseReplies(
      _ gate: Gate, meanwhile body: () async throws -> Void = {}
    ) async throws {
      publisher.updateData(1)
      try await gate.waitUntilHeld()
      try server.run("CLIENT", "PAUSE", "100000", "WRITE")
      for number in 2...20 { publisher.updateData(number) }
      gate.open()
      // If it has to look at its number first, it has done that now.
      try await server.waitForClients("flags=b")
      proxy.mode = .losesReplies
      try server.run("CLIENT", "UNPAUSE")
      try await until { try server.length == 21 }
      try await body()
      proxy.cut()
      proxy.mode = .passes
    }

    @Test("of the entries whose replies were lost, those that the stream holds are confirmed")
    func required_8_06_lostReplies() async throws {
      let gate = Gate()
      let outlet = outlet(proxy.endpoint(), coder: .numbers { if $0 == 1 { gate.pass() } })
      publisher.updateData(0)
      try await running(outlet) {
        let number = try #require(outlet.statistics.lastOutlet)
        try await loseReplies(gate) {
          try server.run(["XDEL", "key"] + (2...20).map { "\(number)-\($0)" })
        }
        try await outlet.reach(21)
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped) == (2, 19))
      #expect(try server.length == 2)
    }

    @Test("an outlet finds out what the server holds, even if the server cuts off clients with large replies")
    func required_8_01_outputLimitOfAnOutlet() async throws {
      let gate = Gate()
      // All of them are on their way at once: together they are smaller than what is sent in one piece.
      // No time-out may end the connection before everything is on its way.
      let outlet = outlet(
        proxy.endpoint(timeout: .seconds(60)), coder: .numbers(sevens: 10_000) { if $0 == 1 { gate.pass() } })
      publisher.updateData(0)
      try await running(outlet) {
        try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 60000 0 0")
        try await loseReplies(gate)
        try await outlet.reach(21)
        try await publisher.publish(21, writtenBy: outlet)
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped) == (22, 0))
      #expect(try server.length == 22)
    }

    @Test("the first state on a server without data isn't sent again once the stream is made")
    func required_8_02_firstStateOnce() async throws {
      let outlet = outlet()
      publisher.updateData(1)
      try await running(outlet) {
        try await publisher.publish(2, writtenBy: outlet)
        // The first one finds no stream, the second one makes it, and the third one is the other state.
        #expect(try server.calls(of: "xadd") == 3)
      }
    }

    @Test(
      "an idle outlet whose user may not restore a deleted entry tries it once, and goes on; with or without `INFO`",
      arguments: ["+info", "+type"])
    func required_8_08_impossible(command: String) async throws {
      try server.addUser("publisher", "+eval +get +set +time +xadd +xrange +xrevrange +auth \(command)")
      let outlet = outlet(server.endpoint(username: "publisher", password: "secret"))
      publisher.updateData(0)
      try await running(outlet) {
        let adds = try server.calls(of: "xadd")
        try server.run("XDEL", "key", try #require(outlet.statistics.lastEntry))
        // At once, or after a wait if the machine is so busy that the outlet isn't sure of its key.
        try await until { try server.calls(of: "xadd") == adds + 1 }
        try await server.waitForCalls(of: "get", 6)
        #expect(try server.calls(of: "xadd") == adds + 1)
        try await publisher.publish(1, writtenBy: outlet)
        try server.run("FLUSHALL")
        try await until { try server.lastEntry == outlet.statistics.lastEntry }
      }
    }

    // MARK: What is kept

    @Test("a stream holds exactly `maxLength` states if that is a small number", arguments: [1, 2, 10, 150])
    func required_8_04_exactLength(maxLength: Int) async throws {
      let outlet = outlet(maxLength: maxLength)
      try await running(outlet) {
        for number in 1...500 {
          publisher.updateData(number)
          if number % max(1, maxLength / 2) == 0 { try await outlet.reach(number) }
        }
        try await outlet.reach(500)
      }
      #expect(try server.length == maxLength)
    }

    @Test(
      "an outlet that may keep one state writes one when there is a connection again, and counts the others at once")
    func required_8_04_keepsOne() async throws {
      let outlet = outlet(maxLength: 1)
      publisher.updateData(0)
      try await running(outlet) {
        server.kill()
        publisher.updateData(1)
        try await until { failureCount > 0 }
        for number in 2...10 { publisher.updateData(number) }
        // The statistics are current without a connection.
        try await until { outlet.statistics.skipped >= 8 }
        try await server.start()
        try await outlet.reach(11)
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped) == (2, 9))
    }

    @Test("an outlet keeps `maxLength` states, even if that is a small number", arguments: [1, 2, 10])
    func required_8_04_fewStates(maxLength: Int) async throws {
      // Whenever the outlet takes a state, there is another one already.
      let goesOn = Locked(true)
      let coder = RedisCoder<Int>.numbers { [publisher] number in
        if goesOn.withLock({ $0 }) { publisher.updateData(number + 1) }
      }
      let outlet = outlet(proxy.endpoint(), maxLength: maxLength, coder: coder)
      try await running(outlet) {
        var (before, isFull) = (0, false)
        while !isFull {
          goesOn.withLock { $0 = false }
          proxy.mode = .passes
          try await publisher.publish(0, writtenBy: outlet)
          before = outlet.statistics.entries
          let (failuresBefore, version) = (failureCount, Int(publisher.current.version))
          goesOn.withLock { $0 = true }
          proxy.mode = .stallsReplies
          publisher.updateData(1)
          try await until {
            let last = try Int(server.lastEntry.drop { $0 != "-" }.dropFirst()) ?? 0
            isFull = last >= version + max(1, maxLength / 2)
            // On a busy machine, the outlet may have to look at its number first, and the reply is missing.
            return isFull || failureCount > failuresBefore
          }
        }
        goesOn.withLock { $0 = false }
        for number in 1_001...1_100 { publisher.updateData(number) }
        let last = Int(publisher.current.version)
        proxy.mode = .passes
        try await outlet.reach(last)
        // One is on its way, and the newest follows it, even if the outlet may keep only one.
        #expect(outlet.statistics.entries - before <= max(2, maxLength))
        #expect(outlet.statistics.entries + outlet.statistics.skipped == last)
      }
    }

    @Test("at most 8 MB and one more state are on their way to the server")
    func required_8_04_bytesOnTheWay() async throws {
      let encoded = Locked(0)
      let outlet = outlet(
        proxy.endpoint(timeout: .seconds(10)), coder: .numbers(sevens: 1 << 20) { _ in encoded.withLock { $0 += 1 } })
      let run = try await started(outlet)
      proxy.mode = .stallsReplies
      for number in 1...40 { publisher.updateData(number) }
      // It has waited for a reply in vain, after it had sent what it may.
      try await until { failureCount > 0 }
      #expect(encoded.withLock { $0 } <= 9)
      proxy.mode = .passes
      try await outlet.reach(40)
      try await cancel(run)
    }
  }
#endif
