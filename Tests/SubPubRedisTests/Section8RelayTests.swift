#if Redis
  import Testing

  @Suite("Section 8: relays, replicas, paces, and publishers that have loaded nothing yet", .hangLimit)
  struct Section8RelayTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("a mirror can be written to another server, whose mirrors show the same publications")
    func required_8_01_6_05_relay() async throws {
      let local = try await RedisServer()
      let (outlet, upper) = (outlet(), mirror())
      let relay = RedisOutlet(upper, key: "key", endpoint: local.endpoint(), retry: .quick)
      let lower = mirror(local.endpoint())
      let recorder = lower.record()
      publisher.updateData(1)
      try await running(outlet, upper) {
        try await upper.reach(1)
        try await running(relay, lower) {
          for number in 2...100 { publisher.updateData(number) }
          try await lower.reach(100)
          #expect(lower.publisher.current.id == publisher.current.id)
          publisher.setError(Offline(code: 7))
          // The error of the first process.
          try await lower.reach { ($0.error as? RemoteError)?.message == "Offline(code: 7)" }
          server.kill()
          // That is a state of the relay.
          try await lower.reach { ($0.error as? RemoteError)?.type.hasSuffix("RedisError") == true }
          try await server.start()
          try await publisher.publish(101, shownBy: lower)
        }
      }
      #expect(recorder.loaded.withoutRepeats == Array(Set(recorder.loaded)).sorted())
    }

    @Test("a mirror goes on at the next server, and shows nothing that is older")
    func required_8_08_8_04_replicas() async throws {
      let (port, other) = (try RedisServer.freePort(), try RedisServer.freePort())
      let primary = try await RedisServer(
        "--port", "\(port)", "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0")
      let replica = try await RedisServer(
        "--port", "\(other)", "--bind", "127.0.0.1", "--replicaof", "127.0.0.1 \(port)")
      try await until { try replica.run("INFO", "replication").contains("master_link_status:up") }
      let endpoints = [
        RedisEndpoint(unixSocket: "/tmp/nothing"), replica.endpoint(), primary.endpoint(),
      ]
      // Without a retry: only after all three have failed would there be one.
      let mirror = RedisMirror<Int>(key: "key", from: endpoints, retry: .never)
      let recorder = mirror.record()
      publisher.updateData(1)
      try await running(outlet(primary.endpoint()), mirror) {
        try await mirror.reach(1)
        try await replica.waitForClients("cmd=xread")
        replica.kill()
        try await publisher.publish(2, shownBy: mirror)
        try await primary.waitForClients("cmd=xread")
      }
      #expect(recorder.loaded.withoutRepeats == [1, 2])
    }

    @Test("a mirror with a pace reads the newest entry only, and not more often")
    func required_8_06_2_12_pace() async throws {
      let mirror = RedisMirror<Int>(key: "key", from: [server.endpoint()], pacing: .milliseconds(50), retry: .quick)
      let every = self.mirror()
      let recorder = mirror.record()
      publisher.updateData(0)
      let start = ContinuousClock.now
      try await running(outlet(), mirror, every) {
        try await mirror.reach(0)
        for number in 1...2_000 {
          publisher.updateData(number)
          if number % 20 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        try await mirror.reach(2_000)
        try await every.reach(2_000)
      }
      let reads = Int((ContinuousClock.now - start) / .milliseconds(50)) + 2
      #expect(mirror.statistics.entries <= reads)
      #expect(mirror.statistics.entries + mirror.statistics.skipped == 2_001)
      #expect(every.statistics.skipped == 0)
      #expect(recorder.loaded == recorder.loaded.sorted())
    }

    @Test("a publisher that has loaded nothing yet takes nothing from its mirrors, and a reset does")
    func required_8_01_5_01_notLoaded() async throws {
      let (mirror, recorder) = (mirror(), Recorder<Int>())
      let late = self.mirror()
      publisher.updateData(7)
      try await running(outlet()) { try await running(mirror) { try await mirror.reach(7) } }
      mirror.publisher.subscribe(recorder, on: .background)
      let next = Publisher<Int>()
      let outlet = outlet(of: next)
      // It has nothing to write.
      let run = Task { try await outlet.run() }
      try await running(mirror) {
        next.startLoading()
        try await mirror.reach(.loading(previous: 7))
        try await running(late) { try await late.reach { $0 == .loading(previous: 7) } }
        next.setError(Offline(code: 1))
        try await mirror.reach { $0.error is RemoteError && $0.value == 7 }
        for number in [nil, 8] {
          if let number { next.updateData(number) }
          next.reset()
          next.startLoading()
        }
        try await recorder.wait { _ in recorder.states.count { $0 == .loading(previous: nil) } == 2 }
      }
      try await cancel(run)
      let reset: [LoadState<Int>] = [.unknown, .loading(previous: nil)]
      #expect(recorder.states.filter { $0.value == nil } == reset + reset)
      #expect(recorder.loaded.withoutRepeats == [7, 8])
    }

    @Test("a mirror with a pace shows the newest entry as soon as it has a connection again")
    func required_8_04_8_06_pacedNewest() async throws {
      let mirror = RedisMirror<Int>(
        key: "key", from: [proxy.endpoint(timeout: .milliseconds(300))], pacing: .seconds(3_600), retry: .quick)
      publisher.updateData(1)
      try await running(outlet(), mirror) {
        try await mirror.reach(1)
        proxy.mode = .stalls
        try await until { mirror.reason != nil }
        publisher.updateData(2)
        try await until { try server.lastEntry.hasSuffix("-\(publisher.current.version)") }
        proxy.mode = .passes
        // Not after the pace, which is longer than the test may take.
        try await mirror.reach(2)
        #expect(mirror.health.isConnected)
      }
    }
  }

  extension RedisMirror where Value: Equatable {
    fileprivate func reach(_ state: LoadState<Value>) async throws { try await reach { $0 == state } }
  }
#endif
