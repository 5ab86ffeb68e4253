#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("Outlets and mirrors", .timeLimit(.minutes(2)))
  struct RedisMirrorTests {
    private let publisher = Publisher<Int>(label: "source")

    @Test("data keeps its origin and its age")
    func originAndAge() async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let manager = LoadingManager(staleAfter: .seconds(60), clock: clock) { 7 }
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), staleAfter: .seconds(60))
      await manager.refresh()
      clock.advance(by: .seconds(50))
      manager.publisher.republish()
      try await running(RedisOutlet(manager.publisher, key: "key", endpoint: server.endpoint()).run) {
        try await running(mirror.run) {
          try await mirror.publisher.reach(7)
          #expect(mirror.publisher.current.origin == .loaded)
          let age = try #require(mirror.publisher.age(of: mirror.publisher.current))
          #expect(age >= .seconds(50) && age < .seconds(60))
          #expect(!mirror.publisher.isStale)
          clock.advance(by: .seconds(10))
          manager.publisher.startLoading()
          try await mirror.publisher.reach { $0 == .loading(previous: 7) }
          #expect(mirror.publisher.current.origin == .loaded)
          manager.publisher.updateData(8, age: .seconds(1_000))
          try await mirror.publisher.reach(8)
          #expect(mirror.publisher.current.origin == .published)
          #expect(mirror.publisher.isStale)
        }
      }
    }

    @Test("data of a publisher that measures no ages is new when it is written")
    func ageOfWriting() async throws {
      let server = try await RedisServer()
      publisher.updateData(1)
      let outlet = RedisOutlet(publisher, key: "key", endpoint: server.endpoint())
      var written = ContinuousClock.now
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        written = .now
        // The age is measured from the data, and not from the error that carries it along.
        try await Task.sleep(for: .milliseconds(20))
        publisher.setError(Offline(code: 1))
        try await until { try server.run("XLEN", "key") == "2" }
      }
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), staleAfter: .seconds(60))
      try await running(mirror.run) {
        try await mirror.publisher.reach { $0.phase == .error }
        #expect(mirror.publisher.state.value == 1)
        let atLeast = written.duration(to: .now) - .milliseconds(2)  // Ages are written in milliseconds.
        let age = try #require(mirror.publisher.age(of: mirror.publisher.current))
        #expect(age >= atLeast)
      }
    }

    @Test("keys and values may have any bytes")
    func anyBytes() async throws {
      let server = try await RedisServer()
      let texts = Publisher<String>()
      let coder = RedisCoder<String> {
        Array($0.utf8)
      } decode: {
        String(decoding: $0, as: UTF8.self)
      }
      // The last two are equal as strings.
      for (number, key) in ["%s%n\r\n$5\r\n", "{a}:\u{0}b", "", "e\u{301}", "\u{e9}"].enumerated() {
        let outlet = RedisOutlet(texts, key: key, endpoint: server.endpoint(), coder: coder)
        let mirror = RedisMirror<String>(key: key, endpoint: server.endpoint(), coder: coder)
        try await running(outlet.run) {
          try await running(mirror.run) {
            for text in ["\r\n*1\r\n", "%s\u{0}%n", "", "\(number)"] {
              texts.updateData(text)
              try await mirror.publisher.reach(text)
            }
          }
        }
      }
      #expect(try server.run("DBSIZE") == "10", "each key has a stream and a counter of its own")
    }

    @Test("an outlet writes large states over one connection")
    func required_8_01_largeStates() async throws {
      let server = try await RedisServer()
      let texts = Publisher<String>()
      // Made before, so that they are published faster than they can be written.
      let large = (1...40).map { String(repeating: "x", count: 1 << 20) + "\($0)" }
      let (outlet, mirror) = (
        RedisOutlet(texts, key: "key", endpoint: server.endpoint()),
        RedisMirror<String>(key: "key", endpoint: server.endpoint())
      )
      try await running(outlet.run) {
        try await running(mirror.run) {
          texts.updateData("small")
          try await mirror.publisher.reach("small")
          for text in large { texts.updateData(text) }
          try await mirror.publisher.reach { $0.value?.hasSuffix("x40") ?? false }
        }
      }
      #expect(outlet.statistics.entries >= large.count)
      #expect(outlet.statistics.reconnects == 0)
      #expect(mirror.statistics.reconnects == 0)
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("hundreds of mirrors share one thread and one reading connection")
    func manyMirrors() async throws {
      let server = try await RedisServer()
      let endpoint = server.endpoint()
      let sources = (0..<300).map { _ in Publisher<Int>() }
      let mirrors = (0..<300).map { RedisMirror<Int>(key: "key \($0)", endpoint: endpoint) }
      try await withThrowingTaskGroup { group in
        for (number, source) in sources.enumerated() where number < 20 {
          group.addTask { try await RedisOutlet(source, key: "key \(number)", endpoint: endpoint).run() }
        }
        for mirror in mirrors + mirrors.map({ _ in RedisMirror<Int>(key: "key 7", endpoint: endpoint) }) {
          group.addTask { try await mirror.run() }
        }
        for round in 1...20 {
          for (number, source) in sources.enumerated() { source.updateData(round * 1_000 + number) }
          for (number, mirror) in mirrors.enumerated() where number < 20 {
            try await mirror.publisher.reach(round * 1_000 + number)
          }
        }
        let clients = try server.run("CLIENT", "LIST").split(separator: "\n")
        #expect(clients.count { $0.contains("cmd=xread") } == 1)
        #expect(clients.count == 20 + 2 + 1, "each outlet, one that reads, one that asks, and this one")
        group.cancelAll()
        try await group.waitForAll()
      }
      try await until { try server.run("CLIENT", "LIST").split(separator: "\n").count == 1 }
    }

    @Test("a second mirror of a key, and one that comes again, are current at once")
    func secondMirror() async throws {
      let server = try await RedisServer()
      let mirrors = (0..<2).map { _ in RedisMirror<Int>(key: "key", endpoint: server.endpoint()) }
      let recorder = Recorder<Int>()
      mirrors[0].publisher.subscribe(recorder, on: .background)
      try await running(RedisOutlet(publisher, key: "key", endpoint: server.endpoint()).run) {
        publisher.updateData(1)
        try await running(mirrors[0].run) {
          try await mirrors[0].publisher.reach(1)
          for number in 2...5 {
            publisher.updateData(number)
            try await running(mirrors[1].run) { try await mirrors[1].publisher.reach(number) }
            try await mirrors[0].publisher.reach(number)
          }
        }
      }
      await mirrors[0].publisher.drain()
      #expect(recorder.states.compactMap(\.value) == [1, 2, 3, 4, 5], "what the other one repeats isn't for this one")
      #expect(mirrors[0].statistics.skipped == 0)
      #expect(mirrors[1].statistics.skipped == 0)
    }

    @Test("a mirror that starts while another one waits for entries needn't wait for them")
    func startedDuringWait() async throws {
      let server = try await RedisServer()
      let endpoint = server.endpoint(timeout: .seconds(3_600))
      let mirror = RedisMirror<Int>(key: "key", endpoint: endpoint)
      try await running(RedisMirror<Int>(key: "another key", endpoint: endpoint).run) {
        try await until { try server.run("CLIENT", "LIST").contains("cmd=xread") }
        try await running(RedisOutlet(publisher, key: "key", endpoint: endpoint).run) {
          try await running(mirror.run) {
            for number in 1...3 {
              publisher.updateData(number)
              try await mirror.publisher.reach(number)
            }
          }
        }
      }
    }

    @Test("a mirror that reads no more than the stream keeps its state; nothing arrives after its run")
    func afterItsRun() async throws {
      let server = try await RedisServer()
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint())
      try await running(RedisOutlet(publisher, key: "key", endpoint: server.endpoint()).run) {
        publisher.updateData(1)
        for round in 1...50 {
          let run = Task { try await mirror.run() }
          let publishing = Task { for _ in 0..<100 { publisher.updateData(round) } }
          if round % 2 == 0 { try await mirror.publisher.reach { $0.phase == .loaded } }
          run.cancel()
          try await run.value
          let version = mirror.publisher.current.version
          await publishing.value
          try await Task.sleep(for: .milliseconds(1))
          #expect(mirror.publisher.current.version == version)
        }
      }
    }

    @Test("no host, no port, a negative database, and limits of zero stop the program")
    func misuse() async {
      await #expect(processExitsWith: .failure) { _ = RedisEndpoint(port: 0) }
      await #expect(processExitsWith: .failure) { _ = RedisEndpoint(host: "") }
      await #expect(processExitsWith: .failure) { _ = RedisEndpoint(host: "a\u{0}b") }
      await #expect(processExitsWith: .failure) { _ = RedisEndpoint(database: -1) }
      await #expect(processExitsWith: .failure) { _ = RedisEndpoint(timeout: .zero) }
      await #expect(processExitsWith: .failure) { _ = RedisEndpoint(username: "me") }
      await #expect(processExitsWith: .failure) { _ = RedisCoder<Int>.json(maxBytes: 0) }
      await #expect(processExitsWith: .failure) {
        _ = RedisOutlet(Publisher<Int>(), key: "key", endpoint: RedisEndpoint(), maxLength: 0)
      }
    }
  }
#endif
