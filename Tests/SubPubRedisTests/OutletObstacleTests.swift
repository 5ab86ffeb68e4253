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
        outlet.reconnect()
      } else {
        // There is no stream.
        try outlet.reply("$-1\r\n")
      }
      for losses in 1...3 {
        try outlet.settle(number: "5", last: nil)
        #expect(outlet.taken().last == "restore")
        outlet.lose(isLate: true)
        #expect(outlet.machine.statistics.undecodable == losses / 3)
        outlet.reconnect()
      }
      let entry = isConfirmed ? outlet.machine.entries.lastConfirmed : outlet.machine.entries.firstEntry
      #expect((entry?.arguments.byteCount ?? .max) < 1_000)
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken().last == "restore")
    }

    @Test("a last entry that arrives too slowly is tried twice, and then an outlet begins without it")
    func required_8_02_8_07_largeLast() throws {
      var outlet = DrivenOutlet()
      for (readsLast, isTooSlow) in [("1", false), ("1", true), ("1", true), ("", true)] {
        outlet.connect()
        #expect(outlet.taken().last == "takeOver")
        #expect(String(decoding: outlet.sent, as: UTF8.self).hasSuffix(DrivenOutlet.string(readsLast)))
        if readsLast.isEmpty { break }
        outlet.lose(isLate: true, isTooSlow: isTooSlow)
        outlet.machine.retry()
      }
      try outlet.reply("*4\r\n:1\r\n$1\r\n6\r\n:0\r\n*2\r\n$3\r\n5-9\r\n*0\r\n")
      #expect(outlet.taken() == ["tell writes"] && outlet.machine.inherited?.value == nil)
    }

    @Test("an outlet whose id is too small was superseded, also if it has waited until it was sure of its number")
    func required_8_02_refusedIDAfterDoubt() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      outlet.pause(4)
      try outlet.reply("-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n")
      try outlet.settle(number: "5", last: "4-9")
      #expect(outlet.taken() == ["settle", "tell disconnected"])
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
      // Or if the stream is found missing, and made by somebody else before the outlet restores it.
      outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("$-1\r\n")
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["settle", "restore"])
      try outlet.reply(":2\r\n")
      #expect(outlet.taken() == ["XADD"])
      try outlet.reply(refusal)
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["settle", "tell superseded", "tell disconnected", "leave", "end: RedisSuperseded"])
    }

    @Test("a large state with which connections are lost three times is written as an error")
    func required_8_06_obstacle() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1, bytes: 100_000)
      for losses in 1...3 {
        outlet.lose(isLate: true)
        outlet.reconnect()
        try outlet.settle(number: "5", last: nil)
        #expect(outlet.machine.statistics.undecodable == (losses < 3 ? 0 : 1))
        guard losses < 3 else { break }
        try outlet.reply(":0\r\n")
        try outlet.settle(number: "5", last: "4-1")
      }
      #expect((outlet.machine.entries.firstEntry?.arguments.byteCount ?? .max) < 1_000)
    }

    @Test(
      "the same is true behind a state that the server refuses, so that nothing is done about the refusal",
      arguments: ["$-1\r\n", "-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n"])
    func required_8_06_obstacleBehindARefusal(refusal: String) throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      _ = outlet.write(2, bytes: 100_000)
      for losses in 1...3 {
        try outlet.reply(refusal)
        outlet.lose(isLate: true)
        #expect(outlet.machine.statistics.undecodable == losses / 3)
        outlet.reconnect()
        try outlet.settle(number: "5", last: "4-1")
        #expect(outlet.taken().last == "XADD × 2")
      }
      try outlet.reply(refusal + refusal)
      #expect(outlet.taken() == ["settle"])
    }

    @Test("a server that goes on refusing ends the run after the time-out, and not before")
    func required_8_04_refuses() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("-OOM command not allowed\r\n")
      let reason = RedisError.Reason.refused("OOM command not allowed")
      #expect(outlet.taken() == ["tell disconnected", "leave", "rest after a loss: \(reason)"])
      #expect(outlet.machine.noteFailure(reason, at: .seconds(10)) == (1, false))
      #expect(outlet.machine.noteFailure(reason, at: .seconds(11.9)) == (2, false))
      #expect(outlet.machine.noteFailure(reason, at: .seconds(12)) == (3, true))
      // The clock was set back.
      #expect(outlet.machine.noteFailure(reason, at: .seconds(1)) == (4, false))
      #expect(outlet.machine.noteFailure(.unreachable("gone"), at: .seconds(20)) == (5, false))
      #expect(outlet.machine.noteFailure(reason, at: .seconds(21)) == (6, false))
    }

    @Test(
      "the reason that Redis puts at the end of an error of a script counts", arguments: ["-READONLY it", "-OOM it"])
    func required_8_04_formerVersions(reason: String) throws {
      var outlet = DrivenOutlet()
      outlet.connect()
      _ = outlet.taken()
      try outlet.reply("-ERR Error running script (call to f_ab): @user_script:3: @user_script: 3: \(reason)\r\n")
      #expect(outlet.taken() == ["leave", "rest: \(RedisError.Reason.refused(String(reason.dropFirst())))"])
    }

    @Test("an outlet that has written in between has the whole time-out again, and its delays begin with the first")
    func required_8_04_refusesAgain() throws {
      var outlet = try DrivenOutlet(writing: 5)
      let reason = RedisError.Reason.refused("OOM command not allowed")
      for (version, last) in [(1, "4-9"), (2, "5-1")] {
        _ = outlet.write(UInt64(version))
        try outlet.reply("-OOM command not allowed\r\n")
        #expect(outlet.machine.noteFailure(reason, at: .seconds(version * 10)) == (1, false))
        outlet.reconnect()
        try outlet.settle(number: "5", last: last)
        try outlet.reply(DrivenOutlet.string("5-\(version)"))
        #expect(outlet.machine.isWriting)
      }
    }

    @Test("an outlet that may keep one state sends it again after a refusal, even if there is a newer one")
    func required_8_04_keepsOneAndIsRefused() throws {
      var outlet = try DrivenOutlet(writing: 5, maxLength: 1)
      outlet.machine.demand.pending = { 1 }
      _ = outlet.write(1)
      for time in [0.0, 1, 2] {
        try outlet.reply("-OOM command not allowed\r\n")
        let failure = outlet.machine.noteFailure(.refused("OOM command not allowed"), at: .seconds(time))
        #expect(failure.isHopeless == (time == 2))
        outlet.reconnect()
        _ = outlet.taken()
        try outlet.settle(number: "5", last: "4-9")
        #expect(outlet.taken() == ["XADD"])
      }
    }

    @Test("once it knows that a state was refused, an outlet sends nothing before that one")
    func required_8_06_afterRefusal() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for version in 1...2 { _ = outlet.write(UInt64(version)) }
      let refusal = "-OOM command not allowed\r\n"
      try outlet.reply(refusal)
      #expect(outlet.write(3) == [])
      try outlet.reply(refusal)
      #expect(outlet.taken().last == "rest after a loss: the server refuses: OOM command not allowed")
      outlet.reconnect()
      try outlet.settle(number: "5", last: "4-9")
      #expect(outlet.taken().last == "XADD × 3")
    }

    @Test("states that were refused are skipped if the server takes a later one")
    func required_8_06_fullForMoments() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for version in 1...4 { _ = outlet.write(UInt64(version)) }
      let refusal = "-OOM command not allowed\r\n"
      try outlet.reply(refusal + refusal + DrivenOutlet.string("5-3") + DrivenOutlet.string("5-4"))
      let statistics = outlet.machine.statistics
      #expect((statistics.entries, statistics.skipped, statistics.lastEntry) == (2, 2, "5-4"))
      #expect(outlet.machine.isWriting && outlet.taken() == [])
    }

    @Test("an entry that can't be restored is tried once, and then the outlet goes on")
    func required_8_08_impossible() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply(DrivenOutlet.string("5-1"))
      for tries in 1...3 {
        outlet.wait(1)
        #expect(outlet.taken() == ["GET × 2"])
        try outlet.reply("$1\r\n5\r\n*0\r\n")
        if tries > 1 { continue }
        try outlet.settle(number: "5", last: nil)
        #expect(outlet.taken() == ["settle", "restore"])
        try outlet.reply(":2\r\n")
      }
      #expect(outlet.write(2) == ["XADD"])
    }

    @Test("what takes the place of a large entry is looked at as a small one")
    func required_8_08_smallSubstitute() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1, bytes: 5_000)
      try outlet.reply("$3\r\n5-1\r\n")
      #expect(outlet.look()?.look.end == .large)
      let substitute = OutletEntry(
        id: EntryID(epoch: 5, version: 1), arguments: RedisCommand("5-1", "phase", "error"),
        publication: PublicationID(epoch: 1, version: 1), sent: 0, before: nil)
      outlet.machine.entries.replace(with: substitute)
      #expect(outlet.look()?.look.end == .entry)
    }
  }
#endif
