#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("An outlet's decisions")
  struct OutletMachineTests {
    @Test("an outlet takes an empty key, writes, and counts what is confirmed")
    func required_8_02_8_06_begins() throws {
      var outlet = DrivenOutlet()
      #expect(outlet.taken() == ["connect"])
      outlet.connect()
      #expect(outlet.taken() == ["takeOver"])
      let mayTake = outlet.flush()
      #expect(!mayTake)
      try outlet.reply("*4\r\n:1\r\n$1\r\n5\r\n:0\r\n$-1\r\n")
      #expect(outlet.taken() == ["tell writes", "proceed"])
      #expect(outlet.write(1) == ["XADD"])
      #expect(outlet.machine.unconfirmedCount == 1)
      try outlet.reply("$3\r\n5-1\r\n")
      #expect(outlet.machine.statistics.lastEntry == "5-1" && outlet.machine.unconfirmedCount == 0)
    }

    @Test("an outlet ends when it finds a greater number, or a later entry", arguments: [("9", "5-1"), ("5", "5-2")])
    func required_8_02_superseded(number: String, last: String) throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("$3\r\n5-1\r\n")
      try outlet.replaceConnection(settling: number, last: last)
      #expect(outlet.taken() == ["tell superseded", "leave", "end: RedisSuperseded"])
    }

    @Test("an entry that the server lacks is restored before others are written")
    func required_8_08_restores() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("$3\r\n5-1\r\n")
      outlet.wait(1)
      #expect(outlet.taken() == ["GET × 2"])
      #expect(outlet.write(2) == ["XADD"])
      try outlet.reply("$1\r\n5\r\n*0\r\n")
      #expect(outlet.taken() == ["settle"])
      try outlet.reply("$-1\r\n")
      try outlet.settle(number: nil, last: nil)
      #expect(outlet.taken() == ["restore"])
      try outlet.reply(":1\r\n")
      #expect(outlet.taken() == ["XADD"])
    }

    @Test("entries whose replies were lost are confirmed if the stream holds them, and others are skipped")
    func required_8_06_lostReplies() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for version in 1...4 { _ = outlet.write(UInt64(version)) }
      try outlet.replaceConnection(settling: "5", last: "5-3", holding: ["5-1", "5-3"])
      #expect(outlet.taken() == ["XADD"])
      let statistics = outlet.machine.statistics
      #expect((statistics.entries, statistics.skipped) == (2, 1))
    }

    @Test("an outlet whose id is too small, although the stream holds nothing greater, was superseded")
    func required_8_02_refusedID() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n")
      #expect(outlet.taken() == ["settle"])
      try outlet.settle(number: "5", last: "4-9")
      #expect(outlet.taken().last == "end: RedisSuperseded")
    }

    @Test("an outlet that has nothing to write asks for nothing but its number and the last entry")
    func required_8_10_idle() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("$3\r\n5-1\r\n")
      for _ in 1...3 {
        outlet.wait(1)
        #expect(outlet.taken() == ["GET × 2"])
        try outlet.reply("$1\r\n5\r\n*1\r\n*2\r\n$3\r\n5-1\r\n*0\r\n")
        #expect(outlet.taken() == [])
      }
    }

    @Test("a connection that the server has ended while it was idle is replaced, and nobody learns of it")
    func required_8_07_idle() throws {
      var outlet = try DrivenOutlet(writing: 5)
      outlet.lose(isClosed: true)
      #expect(outlet.taken() == ["tell disconnected", "leave", "connect"])
      outlet.machine.cannotConnect(.unreachable("refused"))
      #expect(outlet.taken() == ["rest: refused"])
    }

    @Test("connections that end whenever the outlet has begun to write are made as often as the policy allows")
    func required_8_04_beginsInVain() throws {
      var outlet = try DrivenOutlet(writing: 5)
      outlet.lose(isClosed: true)
      #expect(outlet.taken() == ["tell disconnected", "leave", "connect"])
      for count in 1...3 {
        outlet.reconnect()
        _ = outlet.taken()
        try outlet.settle(number: "5", last: nil)
        #expect(outlet.taken() == ["tell writes"])
        outlet.lose(isClosed: true)
        #expect(outlet.taken() == ["tell disconnected", "leave", "rest: lost"])
        #expect(outlet.machine.noteFailure(.unreachable("lost"), at: .zero).count == count)
      }
      // One whose comparison has confirmed something has worked.
      _ = outlet.write(1)
      outlet.reconnect()
      try outlet.settle(number: "5", last: "5-1", holding: ["5-1"])
      _ = outlet.taken()
      outlet.lose(isClosed: true)
      #expect(outlet.taken() == ["tell disconnected", "leave", "connect"])
      // And so has one that answers once more.
      outlet.reconnect()
      try outlet.settle(number: "5", last: "5-1")
      outlet.wait(1)
      try outlet.reply("$1\r\n5\r\n*1\r\n*2\r\n$3\r\n5-1\r\n*0\r\n")
      _ = outlet.taken()
      outlet.lose(isClosed: true)
      #expect(outlet.taken() == ["tell disconnected", "leave", "connect"])
      #expect(outlet.machine.noteFailure(.unreachable("lost"), at: .zero).count == 1)
    }

    @Test("an outlet follows a node of a cluster to another one, and asks the first again if that one doesn't work")
    func required_8_02_moved() throws {
      var outlet = DrivenOutlet()
      outlet.connect()
      _ = outlet.taken()
      for _ in 1...2 {
        try outlet.reply("-MOVED 1 other:7\r\n")
        #expect(outlet.taken() == ["leave", "connect to other:7/0"])
        outlet.machine.cannotConnect(.unreachable("refused"))
        #expect(outlet.taken() == ["rest: refused"])
        outlet.machine.retry()
        #expect(outlet.taken() == ["connect to 127.0.0.1:6379/0"])
        outlet.connect()
        #expect(outlet.taken() == ["takeOver"])
      }
    }

    @Test("a cancelled outlet ends when everything is written, or says how much isn't")
    func required_8_07_cancelled() throws {
      for isConfirmed in [true, false] {
        var outlet = try DrivenOutlet(writing: 5)
        for version in 1...3 { _ = outlet.write(UInt64(version)) }
        outlet.machine.cancel(upTo: 3, count: 3)
        #expect(outlet.machine.hasTakenAll)
        outlet.machine.noteAllTaken(at: outlet.now)
        try outlet.reply("$3\r\n5-1\r\n")
        if isConfirmed {
          try outlet.reply("$3\r\n5-2\r\n$3\r\n5-3\r\n")
          #expect(outlet.taken() == ["end"])
          try outlet.reply(":1\r\n")
          #expect(outlet.taken() == ["tell disconnected", "leave", "end"])
        } else {
          outlet.machine.giveUp()
          guard case .end(let error as RedisError)? = outlet.machine.takeActions().last else {
            Issue.record("it doesn't end with an error")
            continue
          }
          #expect(error.reason == .unwritten(2))
        }
      }
    }

    @Test("an idle outlet restores its last state if an older copy has taken the stream's place, however large it is")
    func required_8_08_sameLength() throws {
      for (bytes, looks) in [(10, ["GET × 2", "settle"]), (50_000, ["GET", "settle"])] {
        var outlet = try DrivenOutlet(writing: 5)
        for version in 1...2 {
          _ = outlet.write(UInt64(version), bytes: bytes)
          try outlet.reply(DrivenOutlet.string("5-\(version)"))
        }
        outlet.wait(1)
        try outlet.reply("$1\r\n5\r\n" + (bytes == 10 ? "*1\r\n*2\r\n$3\r\n5-1\r\n*0\r\n" : ""))
        try outlet.settle(number: "5", last: "5-1")
        #expect(outlet.taken() == looks + ["restore"])
        try outlet.reply(":1\r\n")
        #expect(outlet.machine.isWriting)
      }
    }

    @Test("a refused id says nothing over another connection, where the entry may have arrived")
    func required_8_06_8_02_refusedBefore() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n")
      try outlet.replaceConnection(settling: "5", last: "4-9")
      #expect(!outlet.machine.isOver && outlet.taken() == ["XADD"])
    }

    @Test("what a stream didn't take any more is the first that a new one gets")
    func required_8_08_8_06_newStreamAfterAll() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply(DrivenOutlet.string("5-1"))
      outlet.wait(1)
      try outlet.reply("$1\r\n5\r\n*0\r\n")
      try outlet.settle(number: "5", last: nil)
      try outlet.reply(":2\r\n")
      #expect(outlet.taken() == ["GET × 2", "settle", "restore"])
      // Somebody deletes the key.
      #expect(outlet.write(2) == ["XADD"])
      try outlet.reply("$-1\r\n")
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["settle", "restore"])
    }

    @Test("the first connection replaces none, even if the server wasn't there before")
    func required_8_07_noReconnect() throws {
      var outlet = DrivenOutlet()
      outlet.machine.cannotConnect(.unreachable("refused"))
      outlet.reconnect()
      try outlet.reply("*4\r\n:1\r\n$1\r\n5\r\n:0\r\n$-1\r\n")
      #expect(outlet.machine.isWriting && outlet.machine.statistics.reconnects == 0)
      try outlet.replaceConnection(settling: "5", last: nil)
      #expect(outlet.machine.isWriting && outlet.machine.statistics.reconnects == 1)
    }

    @Test("the lag of an outlet that is never idle is that of the first state that isn't confirmed")
    func required_8_07_lagOfABusyOutlet() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for version in 1...3 {
        let since = outlet.now
        _ = outlet.write(UInt64(version))
        #expect(outlet.machine.unconfirmedSince == (version == 1 ? since : since + .milliseconds(-250)))
        if version > 1 { try outlet.reply(DrivenOutlet.string("5-\(version - 1)")) }
        #expect(outlet.machine.unconfirmedSince == since)
        outlet.pause(0.25)
      }
      try outlet.reply(DrivenOutlet.string("5-3"))
      #expect(outlet.machine.unconfirmedSince == nil)
    }
  }
#endif
