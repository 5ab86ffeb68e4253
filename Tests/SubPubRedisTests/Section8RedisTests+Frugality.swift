#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8 What outlets ask for, and how much they send", .timeLimit(.minutes(2)))
  struct FrugalityTests {
    private let publisher = Publisher<Int>(label: "source")

    private func outlet(_ endpoint: RedisEndpoint, coder: RedisCoder<Int> = .json()) -> RedisOutlet<Int> {
      RedisOutlet(publisher, key: "key", endpoint: endpoint, coder: coder, retry: .quick)
    }

    @Test("the first state on a server without data isn't sent again once the stream is made")
    func required_8_02_firstStateOnce() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      publisher.updateData(1)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        publisher.updateData(2)
        try await until { outlet.statistics.lastVersion == 2 }
        // The first one finds no stream, the second one makes it, and the third one is the other state.
        #expect(try server.calls(of: "xadd") == 3)
      }
    }

    @Test("an idle outlet that can't restore an entry tries it once")
    func required_8_08_impossible() async throws {
      let server = try await RedisServer()
      let rule = "publisher on >secret ~key ~key:epoch +xadd +xrevrange +info +time +watch +get +multi +set +exec +auth"
      try server.run(["ACL", "SETUSER"] + rule.split(separator: " ").map(String.init))
      let outlet = outlet(server.endpoint(username: "publisher", password: "secret"))
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        let adds = try server.calls(of: "xadd")
        try server.run("XDEL", "key", try #require(outlet.statistics.lastEntry))
        // At once, or after a wait if the machine is so busy that the outlet isn't sure of its key.
        try await until { try server.calls(of: "xadd") == adds + 1 }
        let checks = try server.calls(of: "get")
        try await until { try server.calls(of: "get") >= checks + 6 }
        #expect(try server.calls(of: "xadd") == adds + 1)
        publisher.updateData(1)
        try await until { outlet.statistics.lastVersion == 1 }
      }
    }

    @Test("an outlet finds out what the server holds, even if the server cuts off clients with large replies")
    func required_8_01_outputLimitOfAnOutlet() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      // All of them are on their way at once: together they are smaller than what is sent in one piece.
      let gate = Gate()
      let coder = RedisCoder<Int> { number in
        if number == 1 { gate.pass() }
        return Array(repeating: UInt8(ascii: "7"), count: 10_000)
      } decode: { _ in
        0
      }
      // No time-out may end the connection before everything is on its way.
      let outlet = outlet(proxy.endpoint(timeout: .seconds(60)), coder: coder)
      try await running(outlet.run) {
        try await until { outlet.statistics.entries == 1 }
        try server.run("CONFIG", "SET", "client-output-buffer-limit", "normal 60000 0 0")
        publisher.updateData(1)
        try await gate.waitUntilHeld()
        try server.run("CLIENT", "PAUSE", "100000", "WRITE")
        for number in 2...20 { publisher.updateData(number) }
        gate.open()
        // If it has to look at its number first, it has done that now.
        try await until { try server.run("CLIENT", "LIST").contains("flags=b") }
        proxy.mode = .losesReplies
        try server.run("CLIENT", "UNPAUSE")
        try await until { try server.run("XLEN", "key") == "21" }
        proxy.cut()
        proxy.mode = .passes
        try await until { outlet.statistics.lastVersion == 20 }
        publisher.updateData(21)
        try await until { outlet.statistics.lastVersion == 21 }
      }
      #expect(outlet.statistics.entries == 22)
      #expect(outlet.statistics.skipped == 0)
      #expect(try server.run("XLEN", "key") == "22")
    }

    @Test("the name of an error's type is cut before it is written")
    func required_8_05_longTypeName() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      publisher.setError(RemoteError(type: String(repeating: "y", count: 100_000), message: "gone"))
      try await running(outlet.run) { try await until { outlet.statistics.entries == 1 } }
      let entry = try server.run("XREVRANGE", "key", "+", "-", "COUNT", "1")
      #expect(entry.contains("y… (cut: the text has 100000 bytes)"))
      #expect(entry.utf8.count < 5_000)
    }
  }
#endif
