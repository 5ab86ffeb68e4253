#if Redis
  import Testing

  @Suite("Section 8.08: an idle outlet notices what happens to its key", .hangLimit)
  struct Section8RestoringTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// A stream that is full, and an older copy.
    struct Full: Sendable {
      let length: Int
      var size = 10
    }

    @Test(
      "an older copy that is as long as the stream is replaced, however large the states are",
      arguments: [
        Full(length: 1), Full(length: 10), Full(length: 100),
        Full(length: 1, size: 50_000), Full(length: 10, size: 50_000),
      ])
    func required_8_08_sameLength(stream: Full) async throws {
      let outlet = outlet(
        maxLength: stream.length, coder: .numbers(sevens: stream.size) { _ in })
      publisher.updateData(0)
      try await running(outlet) {
        for number in 1...stream.length { try await publisher.publish(number, writtenBy: outlet) }
        try server.run("COPY", "key", "older")
        try await publisher.publish(-1, writtenBy: outlet)
        // It is idle, and has looked at its key.
        try await server.waitForCalls(of: "get", 5)
        try server.run("COPY", "older", "key", "REPLACE")
        try await until { try server.lastEntry == outlet.statistics.lastEntry }
        #expect(try server.length == stream.length)
      }
    }
  }
#endif
