#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 Across processes", .timeLimit(.minutes(2)))
  struct Section8RedisTests {
    let publisher = Publisher<Int>(label: "source")

    func outlet(_ endpoint: RedisEndpoint, maxLength: Int = 10_000, key: String = "key") -> RedisOutlet<Int> {
      RedisOutlet(publisher, key: key, endpoint: endpoint, maxLength: maxLength, retry: .quick)
    }

    func mirror(_ endpoint: RedisEndpoint, key: String = "key") -> RedisMirror<Int> {
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

    /// Runs a mirror until it has a value.
    func mirrored(by mirror: RedisMirror<Int>, _ value: Int) async throws {
      try await running(mirror) { try await mirror.publisher.reach(value) }
    }

    /// Runs an outlet that has written the current state, until the end of the scope.
    func running(_ outlet: RedisOutlet<Int>, _ body: () async throws -> Void) async throws {
      let before = outlet.statistics.entries
      try await SubPubRedisTests.running(outlet.run) {
        try await until { outlet.statistics.entries > before }
        try await body()
      }
    }

    func running(_ mirror: RedisMirror<Int>, _ body: () async throws -> Void) async throws {
      try await SubPubRedisTests.running(mirror.run, body)
    }
  }
#endif
