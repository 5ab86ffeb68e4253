#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("8.08 An outlet that may have been superseded")
  struct OutletDoubtTests {
    @Test("an outlet that takes over from one that may run waits until that one isn't sure, and then looks again")
    func required_8_08_waits() throws {
      var outlet = DrivenOutlet()
      outlet.connect()
      try outlet.reply("*4\r\n:1\r\n$1\r\n6\r\n:1\r\n*2\r\n$3\r\n5-9\r\n*0\r\n")
      #expect(outlet.taken() == ["connect", "takeOver"])
      #expect(outlet.machine.isWaiting && !outlet.machine.isWriting)
      outlet.wait(1)
      #expect(outlet.taken() == ["GET"])
      try outlet.reply("$1\r\n6\r\n")
      #expect(outlet.machine.isWaiting && !outlet.machine.isWriting)
      outlet.wait(2.5)
      #expect(outlet.taken() == ["settle"])
      try outlet.settle(number: "6", last: "5-10")
      #expect(outlet.taken() == ["tell writes"])
      #expect(outlet.machine.inherited?.id == EntryID(epoch: 5, version: 10))
    }

    @Test("an outlet that was out of contact waits, for long after a restart or a loss; one that wasn't writes at once")
    func required_8_08_cutOff() throws {
      for (seconds, start, last, wait) in [
        (1.0, "other", "5-1", 0.0), (10, "start", "5-1", 1.25), (10, "other", "5-1", 4), (10, nil, "5-1", 4),
        (10, "start", nil, 4),
      ] as [(Double, String?, String?, Double)] {
        var outlet = try DrivenOutlet(writing: 5)
        _ = outlet.write(1)
        try outlet.reply("$3\r\n5-1\r\n")
        outlet.lose()
        outlet.wait(seconds)
        outlet.reconnect(start: start)
        try outlet.settle(number: "5", last: last)
        #expect(outlet.machine.isWaiting == (wait > 0), "\(seconds) s, \(start ?? "nothing"), \(last ?? "nothing")")
        if wait == 0 { continue }
        _ = outlet.taken()
        outlet.wait(wait - 0.1)
        #expect(outlet.taken() == ["GET"])
        try outlet.reply("$1\r\n5\r\n")
        outlet.wait(0.1)
        try outlet.settle(number: "5", last: last)
        #expect(outlet.taken() == ["settle"] + (last == nil ? ["restore"] : ["tell writes"]))
      }
    }

    @Test("an outlet that was paused while it waited hasn't looked, and waits again")
    func required_8_08_pausedWhileWaiting() throws {
      for (pause, isLong) in [(3.25, false), (7, true)] {
        var outlet = DrivenOutlet()
        outlet.connect()
        try outlet.reply("*4\r\n:1\r\n$1\r\n6\r\n:1\r\n*2\r\n$3\r\n5-9\r\n*0\r\n")
        outlet.wait(1)
        try outlet.reply("$1\r\n6\r\n")
        outlet.wait(pause - 1)
        try outlet.settle(number: "6", last: "5-9")
        #expect(outlet.machine.isWaiting == isLong)
      }
    }

    @Test("a number that is seen after a long time, or in a reply that took long, doesn't make an outlet sure")
    func required_8_08_slowReply() throws {
      var outlet = try DrivenOutlet(writing: 5)
      outlet.wait(1)
      #expect(outlet.taken() == ["GET"])
      outlet.wait(3.3)
      try outlet.reply("$1\r\n5\r\n")
      #expect(outlet.taken() == ["settle"])
      #expect(outlet.write(1) == [])
      outlet = try DrivenOutlet(writing: 5)
      outlet.pause(4)
      #expect(outlet.write(1) == ["settle"])
    }

    @Test("an outlet that begins to wait while it writes tells that it doesn't write, and then that it does")
    func required_7_04_8_08_doubt() throws {
      var outlet = try DrivenOutlet(writing: 5)
      outlet.pause(4)
      #expect(outlet.write(1) == ["settle"])
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["tell disconnected"])
      outlet.wait(1.25)
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken().first == "settle")
      try outlet.reply(":1\r\n")
      #expect(outlet.taken() == ["tell writes", "proceed"])
    }

    @Test(
      "an outlet that was cut off writes nothing when another one has taken over, whatever the server has lost since",
      arguments: [(nil, nil), ("3", nil), (nil, "4-9"), ("5", "5-1"), ("3", "4-9")] as [(String?, String?)])
    func required_8_08_lossAfterTakeOver(number: String?, last: String?) throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply(DrivenOutlet.string("5-1"))
      outlet.lose()
      outlet.wait(10)
      outlet.reconnect(start: "other")
      try outlet.settle(number: number, last: last)
      _ = outlet.taken()
      #expect(outlet.machine.isWaiting && outlet.write(2) == [])
      outlet.wait(1)
      #expect(outlet.taken() == ["GET"])
      // The other one has restored it meanwhile.
      try outlet.reply(DrivenOutlet.string("6"))
      #expect(outlet.taken() == ["settle"])
      try outlet.settle(number: "6", last: last)
      #expect(outlet.taken() == ["tell superseded", "leave", "end: RedisSuperseded"])
    }

    @Test("an outlet that waits for the one before begins its wait again if its connection is lost")
    func required_8_08_lostWhileWaiting() throws {
      var outlet = DrivenOutlet()
      outlet.connect()
      try outlet.reply("*4\r\n:1\r\n$1\r\n6\r\n:1\r\n$-1\r\n")
      outlet.wait(1)
      outlet.lose()
      outlet.reconnect()
      try outlet.settle(number: "6", last: nil)
      _ = outlet.taken()
      outlet.wait(3.9)
      #expect(outlet.machine.isWaiting && outlet.taken() == ["GET"])
      try outlet.reply(DrivenOutlet.string("6"))
      outlet.wait(0.1)
      try outlet.settle(number: "6", last: nil)
      #expect(outlet.taken() == ["settle", "tell writes"])
    }
  }
#endif
