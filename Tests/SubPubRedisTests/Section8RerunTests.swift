#if Redis
  import Testing

  @Suite("Section 8: mirrors whose publishers were changed by hand, and that are run again", .hangLimit)
  struct Section8RerunTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    enum Change: CaseIterable {
      case reset, data, error

      func make(to publisher: Publisher<Int>) {
        switch self {
        case .reset: publisher.reset()
        case .data: publisher.updateData(99)
        case .error: publisher.setError(Offline(code: 1))
        }
      }
    }

    @Test(
      "a mirror that is run again shows the key's state, whatever was done to it by hand", arguments: Change.allCases)
    func required_8_01_changedByHand(change: Change) async throws {
      let mirror = mirror()
      try server.addEntries(epoch: 5, versions: 1...7)
      try await running(mirror) { try await mirror.reach(7) }
      change.make(to: mirror.publisher)
      try await running(mirror) { try await mirror.reach(7) }
      // The same if the last entry is an error of the mirror, whose previous data is the key's.
      try server.add(["5-8", "phase", "loaded", "value", "x"])
      try await running(mirror) { try await mirror.reach { $0.phase == .error && $0.value == 7 } }
      mirror.publisher.updateData(99)
      try await running(mirror) { try await mirror.reach { $0.error is RedisError && $0.value == 7 } }
    }

    @Test("a stream that doesn't exist is unknown, whatever was done to the mirror by hand")
    func required_8_04_emptyWithData() async throws {
      let mirror = mirror()
      mirror.publisher.updateData(5)
      try await running(mirror) {
        try await mirror.reach { $0 == .unknown }
        mirror.publisher.updateData(6)
        server.kill()
        // Until then, it has what was there before.
        try await mirror.reach { $0.error is RedisError && $0.value == 6 }
        try await server.start()
        try await mirror.reach { $0 == .unknown }
        #expect(mirror.health.isConnected)
        try await server.addEntries(epoch: 5, versions: 7...7, shownBy: mirror)
      }
    }
  }
#endif
