#if Redis
  import Testing

  @Suite("Section 8.01: an outlet that has no data yet keeps the data that its key has", .hangLimit)
  struct Section8InheritedDataTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("what the outlet before writes while the next one waits is the data that this one keeps, with origin and age")
    func required_8_01_8_02_writtenMeanwhile() async throws {
      // The outlet before hasn't ended, so the next one waits. Its user may not keep that one from writing.
      try server.addEntries(epoch: 1_000, versions: 1...1)
      try server.addUser("publisher", "+@all -xsetid")
      let endpoint = server.endpoint(username: "publisher", password: "secret")
      let mirror = mirror()
      let recorder = mirror.record()
      publisher.startLoading()
      try await running(mirror) {
        try await mirror.reach(1)
        let run = Task { [outlet = outlet(endpoint)] in try await outlet.run() }
        try await until { try server.run("GET", "key:epoch") != "1000" }
        let since = Int64(Date().timeIntervalSince1970 * 1_000) - 500_000
        try server.add(["1000-2", "phase", "loaded", "value", "2", "origin", "cached", "since", "\(since)"])
        try await mirror.reach { $0 == .loading(previous: 2) && mirror.statistics.entries == 3 }
        #expect(mirror.publisher.current.origin == .cached)
        #expect(try #require(mirror.publisher.age(of: mirror.publisher.current)) >= .seconds(500))
        try await cancel(run)
      }
      #expect(recorder.values.withoutRepeats == [1, 2])
    }

    @Test("a state that needs no entry isn't pending any more")
    func required_8_07_8_01_needlessState() async throws {
      try await running(outlet(of: Publisher(initial: 7))) {}
      let outlet = outlet()
      let run = Task { try await outlet.run() }
      try await until { outlet.health.isWriting && outlet.health.pending == 0 && outlet.health.lag == .zero }
      try await cancel(run)
      #expect((outlet.statistics.entries, try server.length) == (0, 1))
    }

    @Test("an outlet whose publisher has never published writes nothing to an empty key, either")
    func required_8_01_neverPublished() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      let recorder = mirror.record()
      try await running(outlet, mirror) {
        #expect(try server.run("EXISTS", "key") == "0")
        try await publisher.publish(1, shownBy: mirror)
        // It is written once more if the server loses it, and what was before that isn't.
        try server.run("DEL", "key")
        try await until { try server.lastEntry == outlet.statistics.lastEntry }
      }
      #expect(outlet.statistics.entries == 1)
      #expect(recorder.loaded.withoutRepeats == [1])
    }

    @Test("every origin of data arrives as it is", arguments: [DataOrigin.published, .loaded, .cached, .edited])
    func required_8_01_5_11_origins(origin: DataOrigin) async throws {
      let mirror = mirror()
      publisher.setState(.loaded(1), origin: origin, age: nil, id: nil)
      try await running(outlet(), mirror) { try await mirror.reach(1) }
      #expect(mirror.publisher.current.origin == origin)
    }

    @Test("a relay knows which data isn't that of the process whose identifier its state has")
    func required_8_08_foreignData() {
      let id = PublicationID(epoch: 7, version: 3)
      let failed = LoadState.error(Offline(code: 1), previous: 1)
      publisher.setState(.loaded(1), origin: .published, age: nil, id: id)
      #expect(!publisher.current.isDataInherited)
      publisher.startLoading()
      #expect(publisher.current.isDataInherited, "the relay loads")
      publisher.setState(failed, origin: .published, age: nil, id: nil)
      #expect(publisher.current.isDataInherited, "the relay has failed")
      for isInherited in [true, false] {
        publisher.setState(failed, origin: .published, age: nil, id: id, isDataInherited: isInherited)
        #expect(publisher.current.isDataInherited == isInherited)
      }
      publisher.updateData(2)
      publisher.startLoading()
      #expect(!publisher.current.isDataInherited)
    }

    @Test("a first value that can't be encoded is an error with the data that the key has")
    func required_8_01_5_01_unencodable() async throws {
      publisher.updateData(7)
      try await running(outlet()) {}
      let (next, mirror) = (Publisher(initial: 8), mirror())
      let coder = RedisCoder<Int> { number in
        if number == 8 { throw Offline(code: number) }
        return Array("\(number)".utf8)
      } decode: { _ in
        0
      }
      let outlet = outlet(of: next, coder: coder)
      let recorder = mirror.record()
      try await running(mirror) {
        try await mirror.reach(7)
        try await running(outlet) {
          try await mirror.reach { ($0.error as? RemoteError)?.message.contains("Offline(code: 8)") ?? false }
          #expect(mirror.publisher.state.value == 7)
          // And every further one.
          next.startLoading()
          try await outlet.reach(Int(next.current.version))
          try await until { mirror.statistics.entries == 3 }
          #expect(mirror.publisher.state.value == 7)
          try await next.publish(9, shownBy: mirror)
        }
      }
      #expect(outlet.statistics.undecodable == 2)
      #expect(recorder.values.withoutRepeats == [7, 9])
    }

    @Test("a relay that starts anew while the first server has lost the key keeps the data of the mirrors behind it")
    func required_8_01_6_05_relayOfNothing() async throws {
      let local = try await RedisServer()
      let lower = mirror(local.endpoint())
      let recorder = lower.record()
      publisher.updateData(1)
      try await running(lower) {
        let upper = mirror()
        try await running(outlet(), upper) {
          try await upper.reach(1)
          try await running(outlet(local.endpoint(), of: upper)) { try await lower.reach(1) }
        }
        try server.run("FLUSHALL")
        let anew = mirror()
        let relay = outlet(local.endpoint(), of: anew)
        let relaying = Task { try await relay.run() }
        try await until { relay.health.isWriting }
        try await running(anew) {
          try await until { anew.health.isConnected && anew.publisher.state.phase == .unknown }
          let version = anew.publisher.current.version
          #expect(version > 0)
          try await running(outlet()) {
            publisher.updateData(2)
            try await lower.reach(2)
          }
        }
        try await cancel(relaying)
      }
      let first = try #require(recorder.states.firstIndex { $0.value != nil })
      #expect(recorder.states[first...].filter { $0.value == nil }.isEmpty)
      #expect(recorder.loaded.withoutRepeats == [1, 2])
    }

    @Test("a relay hands the age of the data on, also when it is run anew")
    func required_8_01_5_06_relayedAge() async throws {
      let local = try await RedisServer()
      let dated = Publisher<Int>(staleAfter: .seconds(1_000))
      // It has no limit for the age itself.
      let upper = mirror()
      let lower = mirror(local.endpoint(), staleAfter: .seconds(1_000))
      let relay = outlet(local.endpoint(), of: upper)
      dated.updateData(1, age: .seconds(100))
      try await running(outlet(of: dated), lower) {
        for _ in 1...2 {
          try await running(upper) {
            try await upper.reach(1)
            try await running(relay) {
              try await until {
                relay.statistics.lastVersion == Int(upper.publisher.current.version)
                  && lower.statistics.lastEntry == relay.statistics.lastEntry && lower.publisher.state.value == 1
              }
              #expect(try #require(lower.publisher.age(of: lower.publisher.current)) >= .seconds(100))
            }
          }
        }
      }
    }
  }

  extension RedisSuite {
    fileprivate func outlet(_ endpoint: RedisEndpoint, of mirror: RedisMirror<Int>) -> RedisOutlet<Int> {
      RedisOutlet(mirror, key: "key", endpoint: endpoint, retry: .quick)
    }
  }
#endif
