#if Redis
  import Testing

  @Suite("A stand-in for a server", .hangLimit)
  struct RedisStandInTests {
    let standIn: RedisStandIn
    let publisher = Publisher<Int>(label: "source")
    init() throws { standIn = try RedisStandIn() }

    func outlet(_ endpoint: RedisEndpoint? = nil, of other: Publisher<Int>? = nil, maxLength: Int = 10_000)
      -> RedisOutlet<Int>
    {
      RedisOutlet(
        other ?? publisher, key: "key", endpoint: endpoint ?? standIn.endpoint, maxLength: maxLength, retry: .quick)
    }

    private func standby(of other: Publisher<Int>) -> RedisOutlet<Int> {
      RedisOutlet(
        other, key: "key", endpoint: standIn.endpoint, role: .standby(lease: .seconds(8)), retry: .quick)
    }

    func mirror(_ endpoint: RedisEndpoint? = nil, pacing: Duration? = nil) -> RedisMirror<Int> {
      RedisMirror(key: "key", from: [endpoint ?? standIn.endpoint], pacing: pacing, label: "mirror", retry: .quick)
    }

    @Test("a mirror has every state in order, to the last")
    func order() async throws {
      var endpoint = standIn.endpoint
      endpoint.replyTimeout = .seconds(60)
      let (outlet, mirror) = (outlet(endpoint), mirror(endpoint))
      let recorder = mirror.record()
      publisher.updateData(0)
      try await running(outlet, mirror) {
        try await mirror.reach(0)
        for number in 1...2_000 { publisher.updateData(number) }
        try await recorder.wait { $0 == .loaded(2_000) }
      }
      #expect(recorder.loaded == Array(0...2_000))
      #expect(standIn.entryCount(of: "key") == 2_001)
      #expect(standIn.entryCount(of: "key:epoch") == 0 && standIn.entryCount(of: "other") == 0)
      for part in [outlet, mirror] as [any Runnable] { #expect(part.statistics.reconnects == 0) }
    }

    @Test("a stream has no more entries than its outlet allows", arguments: [10, 1_000])
    func trimming(maxLength: Int) async throws {
      let (outlet, mirror) = (outlet(maxLength: maxLength), mirror())
      publisher.updateData(0)
      try await running(outlet, mirror) {
        for number in 1...1_200 {
          publisher.updateData(number)
          if number.isMultiple(of: 10) { try await mirror.reach(number) }
        }
        try await mirror.reach(1_200)
      }
      #expect(standIn.entryCount(of: "key") == (maxLength == 10 ? 10 : 1_001))
    }

    @Test("while it is stopped, states wait and mirrors show an error; then they go on with the same data")
    func stopped() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      let recorder = mirror.record()
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        standIn.stop()
        standIn.stop()
        try await mirror.reach { $0.phase == .error && $0.value == 1 }
        for number in 2...5 { publisher.updateData(number) }
        #expect(standIn.entryCount(of: "key") == 1)
        try standIn.start()
        try standIn.start()
        try await mirror.reach(5)
        try await publisher.publish(6, shownBy: mirror)
      }
      #expect(recorder.loaded.last == 6)
      #expect(standIn.entryCount(of: "key") == 6)
    }

    @Test("outlets and mirrors connect again when it has ended their connections")
    func disconnected() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      publisher.updateData(1)
      try await running(outlet, mirror) {
        for number in 2...5 {
          try await publisher.publish(number, shownBy: mirror)
          standIn.disconnectAll()
        }
        try await publisher.publish(6, shownBy: mirror)
        try await until { mirror.statistics.reconnects > 0 && outlet.statistics.reconnects > 0 }
      }
      #expect(standIn.entryCount(of: "key") == 6)
    }

    @Test("one outlet writes and another one stands by, until the first has ended")
    func standsBy() async throws {
      let latter = Publisher<Int>(initial: 100)
      let (first, second, mirror) = (standby(of: publisher), standby(of: latter), mirror())
      publisher.updateData(1)
      try await running(mirror) {
        let writing = try await started(first)
        let waiting = Task { try await second.run() }
        try await until { second.health.isConnected }
        try await publisher.publish(2, shownBy: mirror)
        #expect(first.health.isWriting && !second.health.isWriting)
        try await cancel(writing)
        try await mirror.reach(100)
        try await cancel(waiting)
      }
    }

    @Test("a mirror with a pace shows the newest state now and then, and the last one")
    func paced() async throws {
      let (outlet, mirror) = (outlet(), mirror(pacing: .milliseconds(5)))
      let recorder = mirror.record()
      publisher.updateData(0)
      try await running(outlet, mirror) {
        try await mirror.reach(0)
        for number in 1...500 { publisher.updateData(number) }
        try await mirror.reach(500)
      }
      #expect(recorder.loaded == recorder.loaded.sorted() && recorder.loaded.last == 500)
      #expect(recorder.loaded.count < 500)
    }

    @Test("mirrors of many keys share its connections, even those that begin while others wait")
    func manyKeys() async throws {
      let keys = (0..<20).map { "key\($0)" }
      let publishers = keys.map { Publisher<Int>(label: $0, initial: 0) }
      let outlets = zip(publishers, keys).map { RedisOutlet($0, key: $1, endpoint: standIn.endpoint, retry: .quick) }
      let mirrors = keys.map { RedisMirror<Int>(key: $0, endpoint: standIn.endpoint, retry: .quick) }
      var runs: [Task<Void, any Error>] = []
      for index in keys.indices {
        runs += [try await started(outlets[index]), try await started(mirrors[index])]
        for each in 0...index { try await publishers[each].publish(index + 1, shownBy: mirrors[each]) }
      }
      for run in runs { try await cancel(run) }
      for (index, key) in keys.enumerated() { #expect(standIn.entryCount(of: key) == keys.count - index + 1) }
    }

    @Test("it goes when it is released")
    func released() async throws {
      var other: RedisStandIn? = try RedisStandIn()
      let endpoint = try #require(other?.endpoint)
      let path = endpoint.socketPath
      let client = try #require(RawServer.connection(to: path))
      defer { close(client) }
      #expect(!(other == nil))
      other = nil
      #expect(RawServer.receive(from: client).isEmpty)
      #expect(!FileManager.default.fileExists(atPath: String(path.dropLast("/socket".count))))
    }

    @Test("an outlet restores what is lost, and is superseded by another one")
    func scenario() async throws {
      let (first, mirror) = (outlet(), mirror())
      let second = outlet(of: Publisher(initial: 100))
      let recorder = mirror.record()
      publisher.updateData(1)
      let mirroring = try await started(mirror)
      let firstRun = try await started(first)
      try await mirror.reach(1)
      for number in 2...5 { try await publisher.publish(number, shownBy: mirror) }
      #expect(standIn.entryCount(of: "key") == 5)
      standIn.removeAll()
      try await until { standIn.entryCount(of: "key") == 1 }
      for number in 6...8 { try await publisher.publish(number, shownBy: mirror) }
      let secondRun = try await started(second)
      await #expect(throws: RedisSuperseded.self) { try await firstRun.value }
      try await mirror.reach(100)
      try await cancel(secondRun)
      try await cancel(mirroring)
      #expect(recorder.loaded.withoutRepeats == Array(1...8) + [100])
      #expect(standIn.entryCount(of: "key") == 5)
      #expect(first.statistics.reconnects + second.statistics.reconnects + mirror.statistics.reconnects == 0)
      #expect(mirror.statistics.skipped == 0)
    }
  }
#endif
