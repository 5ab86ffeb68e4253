#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  extension OutletSupersessionTests {
    @Test(
      "a living outlet restores what is missing, at once", .serialized,
      arguments: [
        ["DEL", "key"], ["DEL", "key:epoch"], ["FLUSHALL"], ["PEXPIRE", "key", "1"], ["XDEL", "key", "LAST"],
        ["XTRIM", "key", "MAXLEN", "0"], ["SET", "key:epoch", "5"], ["RENAME", "older", "key"],
      ])
    func required_8_08_restores(loss: [String]) async throws {
      let server = try await RedisServer()
      let first = outlet(former, server.endpoint())
      try await running(first.run) {
        former.updateData(1)
        former.updateData(2)
        try await until { first.statistics.lastVersion == 2 }
        try server.run("COPY", "key", "older")
        former.updateData(3)
        try await until { first.statistics.lastVersion == 3 }
        let (entry, number) = (try #require(first.statistics.lastEntry), try #require(first.statistics.lastOutlet))
        // On a busy machine, an outlet may be held up for so long that it isn't sure any more, and waits.
        var took = Duration.seconds(100)
        for _ in 1...4 where took > .seconds(9) {
          let start = ContinuousClock.now
          try server.run(loss.map { $0 == "LAST" ? entry : $0 })
          try await until { try server.lastEntry == entry && server.run("GET", "key:epoch") == "\(number)" }
          took = start.duration(to: .now)
          try server.run("COPY", "key", "older")
        }
        #expect(took < .seconds(9))
        #expect(first.statistics.reconnects == 0)
        former.updateData(4)
        try await until { first.statistics.lastVersion == 4 }
        #expect(try server.lastEntry == "\(number)-4")
      }
    }

    @Test("an outlet whose user may run the former commands only goes on without an entry that somebody has deleted")
    func required_8_08_fewerCommands() async throws {
      let server = try await RedisServer()
      let rule = "publisher on >secret ~key ~key:epoch +xadd +xrevrange +type +time +watch +get +multi +set +exec +auth"
      try server.run(["ACL", "SETUSER"] + rule.split(separator: " ").map(String.init))
      let first = outlet(former, server.endpoint(username: "publisher", password: "secret"))
      try await running(first.run) {
        try await until { first.statistics.entries == 1 }
        former.updateData(1)
        try await until { first.statistics.lastVersion == 1 }
        try server.run("XDEL", "key", try #require(first.statistics.lastEntry))
        former.updateData(2)
        try await until { first.statistics.lastVersion == 2 }
        try server.run("FLUSHALL")
        try await until { try server.lastEntry == first.statistics.lastEntry }
      }
    }
  }
#endif
