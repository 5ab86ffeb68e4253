#if Redis
  import Testing

  @Suite("8 Across processes: a server with older data", .hangLimit)
  struct Section8OlderDataTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test(
      "a mirror shows no states of an earlier outlet when the server returns with older data, whatever its clock says",
      arguments: [6, RedisServer.lateOutlet])
    func required_8_08_olderData(outlet: Int) async throws {
      let mirror = mirror()
      let recorder = mirror.record()
      try server.addEntries(epoch: 5, versions: 1...1)
      try await running(mirror) {
        try await mirror.reach(1)
        try await server.addEntries(epoch: 5, versions: 2...10, shownBy: mirror)
        try server.keep()
        try await server.addEntries(epoch: outlet, versions: 1...2, plus: 100, shownBy: mirror)
        try await server.restore()
        try await until { mirror.statistics.reconnects == 1 }
        try await mirror.reach(102)
        // What the outlet does a moment later.
        try await server.addEntries(epoch: outlet, versions: 2...3, plus: 100, shownBy: mirror)
        // And the same with older data of the same outlet.
        try await server.restore()
        try await until { mirror.statistics.reconnects == 2 }
        try await server.addEntries(epoch: outlet, versions: 1...5, plus: 100, shownBy: mirror)
      }
      await mirror.publisher.drain()
      #expect(recorder.loaded == Array(1...10) + [101, 102, 102, 103, 103, 104, 105])
      #expect(mirror.statistics.skipped == 0)
      #expect(mirror.statistics.entries == 15)
    }

    @Test("a mirror that was cut off shows what an outlet writes that has begun anew, from then on")
    func required_8_08_begunAnew() async throws {
      let mirror = mirror()
      let recorder = mirror.record()
      try await running(mirror) {
        try await server.addEntries(epoch: 5, versions: 1...1, shownBy: mirror)
        try server.keep()
        try await server.addEntries(epoch: RedisServer.lateOutlet, versions: 1...2, plus: 100, shownBy: mirror)
        try await server.restore()
        try await until { mirror.statistics.reconnects == 1 }
        try await server.addEntries(epoch: RedisServer.lateOutlet - 1, versions: 1...3, plus: 200, shownBy: mirror)
        try await server.restore()
        try server.run("FLUSHALL")
        try await until { mirror.statistics.reconnects == 2 }
        // Greater than that of the older data, which the mirror may have found.
        try await server.addEntries(epoch: 6, versions: 1...3, plus: 300, shownBy: mirror)
      }
      await mirror.publisher.drain()
      #expect(recorder.loaded.withoutRepeats == [1, 101, 102, 201, 202, 203, 301, 302, 303])
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("an outlet that was cut off writes nothing when the server comes back with older data")
    func required_8_08_outletCutOff() async throws {
      let latter = Publisher(initial: 50)
      let (first, second) = (outlet(proxy.endpoint()), outlet(of: latter))
      publisher.updateData(0)
      let run = try await started(first)
      try server.keep()
      proxy.mode = .stalls
      publisher.updateData(1)
      try await running(second) {
        try await server.restore { proxy.mode = .passes }
        await #expect(throws: RedisSuperseded.self) { try await run.value }
        latter.updateData(100)
        try await until { try second.statistics.lastVersion == 2 && server.lastEntry == second.statistics.lastEntry }
        // Its first state, which was written before the other one took over, and nothing else.
        let number = try #require(first.statistics.lastOutlet)
        #expect(try server.run("XRANGE", "key", "-", "\(number)-18446744073709551615").hasPrefix("\(number)-1\n"))
        #expect(try server.length == 3)
      }
    }

    @Test(
      "a living outlet restores what is missing",
      arguments: [
        ["DEL", "key"], ["DEL", "key:epoch"], ["FLUSHALL"], ["PEXPIRE", "key", "1"], ["XDEL", "key", "LAST"],
        ["XTRIM", "key", "MAXLEN", "0"], ["SET", "key:epoch", "5"], ["RENAME", "older", "key"],
      ])
    func required_8_08_restores(loss: [String]) async throws {
      let first = outlet()
      try await running(first) {
        publisher.updateData(1)
        try await publisher.publish(2, writtenBy: first)
        try server.run("COPY", "key", "older")
        try await publisher.publish(3, writtenBy: first)
        let (entry, number) = (try #require(first.statistics.lastEntry), try #require(first.statistics.lastOutlet))
        try server.run(loss.map { $0 == "LAST" ? entry : $0 })
        // An expiry takes a moment.
        try await until { try server.run("PTTL", "key").hasPrefix("-") }
        try await until { try server.lastEntry == entry && server.run("GET", "key:epoch") == "\(number)" }
        #expect(first.statistics.reconnects == 0)
        try await publisher.publish(4, writtenBy: first)
        #expect(try server.lastEntry == "\(number)-4")
      }
    }
  }
#endif
