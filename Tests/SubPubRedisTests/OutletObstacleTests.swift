#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8.06 States that can't be restored in time")
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
  }
#endif
