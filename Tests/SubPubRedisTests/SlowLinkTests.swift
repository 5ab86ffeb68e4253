#if Redis
  import Testing

  @Suite("8.06 States that take long on the link", .hangLimit)
  struct SlowLinkTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// Encodes numbers as so many digits.
    private func coder(_ digit: Character) -> RedisCoder<Int> {
      RedisCoder {
        Array(String(repeating: digit, count: $0).utf8)
      } decode: {
        $0.count
      }
    }

    @Test("a state that takes longer to be sent than a reply may take is written, and isn't read again")
    func required_8_06_8_07_longSending() async throws {
      // 1.6 MB a second.
      let link = try Proxy(server) { _ in .trickles(everyMilliseconds: 40, by: 65_536) }
      let outlet = outlet(link.endpoint(timeout: .seconds(1)), coder: coder("7"))
      publisher.updateData(1)
      try await running(outlet) {
        try await publisher.publish(3_000_000, writtenBy: outlet)
        // It looks at its key, whose last entry is large.
        try await server.waitForCalls(of: "get", 4)
        for number in 4...6 { publisher.updateData(number) }
        try await outlet.reach(Int(publisher.current.version))
      }
      #expect((outlet.statistics.entries, outlet.statistics.skipped, outlet.statistics.undecodable) == (5, 0, 0))
    }

    @Test("a state that can't be sent in time is an error with the data from before, and later states arrive")
    func required_8_06_neverSent() async throws {
      let digits = String(repeating: "7", count: 1_000)
      let link = try Proxy(server) { piece in
        guard !piece.isReply, let state = piece.bytes.firstRange(of: digits.utf8) else { return .passes(piece.bytes) }
        // What comes before it may be the other one's.
        return state.lowerBound == 0 ? .waits : .passes(Array(piece.bytes[..<state.lowerBound]))
      }
      let (endpoint, other) = (link.endpoint(timeout: .milliseconds(400)), Publisher(initial: 1))
      let outlet = outlet(endpoint, coder: coder("7"))
      // It shares the connection.
      let neighbour = self.outlet(endpoint, of: other, key: "neighbour", coder: coder("8"))
      let mirror = RedisMirror(key: "key", endpoint: server.endpoint(), coder: coder("7"), retry: .quick)
      let recorder = mirror.record()
      publisher.updateData(1)
      try await running(outlet, neighbour, mirror) {
        try await mirror.reach(1)
        publisher.updateData(500_000)
        publisher.updateData(2)
        other.updateData(200_000)
        try await mirror.reach(2)
        try await neighbour.reach(Int(other.current.version))
      }
      let error = try #require(recorder.states.first { $0.error != nil })
      #expect((error.error as? RemoteError)?.message.contains("longer") == true)
      #expect(error.value == 1 && recorder.loaded == [1, 2])
      #expect((outlet.statistics.undecodable, neighbour.statistics.undecodable) == (1, 0))
      #expect(outlet.statistics.skipped == 0 && neighbour.statistics.skipped == 0)
    }
  }
#endif
