#if Redis
  import SubPub
  import SubPubRedis
  import Testing

  @Suite("8 Across processes", .hangLimit)
  struct Section8RedisTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("a mirror has every state in order: phases, values, previous values, and errors")
    func required_8_01_states() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      let recorder = mirror.record()
      try await running(mirror) {
        try await recorder.wait { $0.phase == .loading }
        try await mirror.reach { $0 == .unknown }
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
        .loading(previous: nil), .loaded(1), .loading(previous: 1), .error(remote(7), previous: 1), .unknown,
        .error(remote(8), previous: nil), .loaded(2),
      ]
      #expect(recorder.states == expected)
      #expect(mirror.statistics.lastVersion == 7)
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("a client that has left one process comes back at any other, and misses nothing")
    func required_6_05_8_01_anyProcess() async throws {
      let outlet = outlet()
      let mirrors = (0..<2).map { _ in RedisMirror<Int>(key: "key", endpoint: server.endpoint(), history: 10) }
      try await running(outlet, mirrors[0], mirrors[1]) {
        for number in 1...5 {
          publisher.updateData(number)
          for mirror in mirrors { try await mirror.reach(number) }
        }
        let id = PublicationID(epoch: publisher.current.id.epoch, version: 3)
        for mirror in mirrors {
          #expect(mirror.publisher.current.id == publisher.current.id)
          var states = mirror.publications(after: id).makeAsyncIterator()
          #expect(states.statistics.pending == 2)
          #expect(await states.next()?.state == .loaded(4))
          #expect(await states.next()?.id == publisher.current.id)
        }
      }
    }

    @Test("an outlet writes what is left of a finished publisher, and returns")
    func required_3_09_8_02_finished() async throws {
      let mirror = mirror()
      for number in 1...100 { publisher.updateData(number) }
      publisher.finish()
      try await outlet().run()
      try await running(mirror) { try await mirror.reach(100) }
    }

    @Test("an outlet and a mirror go on where they were when the server was killed and started again")
    func required_8_01_8_02_killedServer() async throws {
      let (outlet, mirror) = (outlet(), mirror(proxy.endpoint(timeout: .milliseconds(300))))
      publisher.updateData(0)
      let recorder = try await running(outlet, mirror) {
        try await mirror.reach(0)
        let recorder = mirror.record()
        for round in 1...3 {
          for number in 1...100 { publisher.updateData(round * 1_000 + number) }
          server.kill()
          // The mirror comes back when the outlet has written.
          proxy.mode = .stalls
          for number in 101...200 { publisher.updateData(round * 1_000 + number) }
          try await server.start()
          try await outlet.reach(round * 200 + 1)
          proxy.mode = .passes
          try await mirror.reach(round * 1_000 + 200)
        }
        await mirror.publisher.drain()
        return recorder
      }
      // Once each, in order; the last one before a failure may be shown once more after it.
      let expected = [0] + (1...3).flatMap { round in (1...200).map { round * 1_000 + $0 } }
      #expect(recorder.loaded.withoutRepeats == expected)
      #expect(mirror.statistics.skipped == 0)
      // What was written when its reply was lost is repeated, and not doubled.
      #expect((outlet.statistics.entries, outlet.statistics.skipped) == (601, 0))
      #expect(try server.length == 601)
    }

    @Test("when the server has lost everything, and the publishing process was restarted, mirrors follow the new one")
    func required_8_01_everythingAnew() async throws {
      // The first outlet's number is greater than those of the others.
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet) ended")
      let mirror = mirror(server.endpoint(timeout: .milliseconds(300)))
      try await running(mirror) {
        // Each round is a process: versions begin again at 1.
        for round in 1...3 {
          let publisher = Publisher<Int>()
          try await running(outlet(of: publisher)) {
            for number in 1...(100 / round) { publisher.updateData(round * 1_000 + number) }
            try await mirror.reach(round * 1_000 + 100 / round)
          }
          let number = try #require(mirror.statistics.lastOutlet)
          #expect(round == 1 ? number == RedisServer.lateOutlet + 1 : number < RedisServer.lateOutlet)
          try server.run("FLUSHALL")
        }
      }
    }

    // MARK: Taking over

    @Test("an outlet that starts takes the key over, and the one before ends, even if it writes nothing")
    func required_8_02_takeOver() async throws {
      let (first, second) = (outlet(), outlet())
      publisher.updateData(0)
      let former = try await started(first)
      let run = Task { try await second.run() }
      let error = await #expect(throws: RedisSuperseded.self) { try await former.value }
      #expect(error == RedisSuperseded(endpoint: server.endpoint(), key: "key"))
      #expect(first.health.error == error.map { "\($0)" })
      try await publisher.publish(1, writtenBy: second)
      try await cancel(run)
    }

    @Test("an outlet that was cut off while another took over ends, what it has sent is refused, and the other goes on")
    func required_8_02_fenced() async throws {
      let (first, second) = (outlet(proxy.endpoint()), outlet())
      for number in 1...10 { publisher.updateData(number) }
      let former = try await started(first)
      proxy.mode = .stalls
      // On its way, and held up.
      publisher.updateData(11)
      try await running(second) {
        proxy.mode = .passes
        await #expect(throws: RedisSuperseded.self) { try await former.value }
        #expect(try server.length == 2)
        #expect(try server.lastEntry == second.statistics.lastEntry)
        try await publisher.publish(12, writtenBy: second)
      }
    }

    @Test("an outlet whose successor's entries somebody deletes ends")
    func required_8_02_deletedSuccessor() async throws {
      publisher.updateData(1)
      let run = try await started(outlet())
      let entry = "\(RedisServer.lateOutlet)-0"
      try server.add([entry, "phase", "unknown"])
      try server.run("XDEL", "key", entry)
      publisher.updateData(2)
      await #expect(throws: RedisSuperseded.self) { try await run.value }
    }
  }
#endif
