#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8.06 States that can't be restored")
  struct OutletObstacleTests {
    @Test(
      "a large state with which connections are lost three times while it is restored is written as an error",
      arguments: [false, true])
    func required_8_06_8_08_obstacleInARestoration(isConfirmed: Bool) throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1, bytes: 100_000)
      if isConfirmed {
        try outlet.reply(DrivenOutlet.string("5-1"))
        outlet.lose()
        outlet.machine.retry()
        outlet.connect()
      } else {
        // There is no stream.
        try outlet.reply("$-1\r\n")
      }
      for losses in 1...3 {
        try outlet.settle(number: "5", last: nil)
        #expect(outlet.taken().last == "restore")
        outlet.lose(isLate: true)
        #expect(outlet.machine.statistics.undecodable == losses / 3)
        outlet.machine.retry()
        outlet.connect()
      }
      let entry = isConfirmed ? outlet.machine.entries.lastConfirmed : outlet.machine.entries.firstEntry
      #expect((entry?.arguments.byteCount ?? .max) < 1_000)
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken().last == "restore")
    }

    @Test("an outlet whose id is too small was superseded, also if it has waited until it was sure of its number")
    func required_8_02_refusedIDAfterDoubt() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      outlet.pause(4)
      try outlet.reply("-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n")
      try outlet.settle(number: "5", last: "4-9")
      #expect(outlet.taken() == ["settle", "tell disconnected", "GET"])
      try outlet.reply("$1\r\n5\r\n")
      outlet.wait(1.25)
      #expect(outlet.taken().last == "settle")
      try outlet.settle(number: "5", last: "4-9")
      #expect(outlet.taken().last == "end: RedisSuperseded")
    }

    @Test("a first state that an empty stream has a greater id for isn't tried again, and the outlet is superseded")
    func required_8_02_8_06_emptyStreamWithGreaterID() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      let refusal = "-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n"
      try outlet.reply(refusal)
      #expect(outlet.taken() == ["settle"])
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["restore"])
      try outlet.reply(":2\r\n")
      #expect(outlet.taken() == ["tell superseded", "tell disconnected", "leave", "end: RedisSuperseded"])
    }
  }
#endif
