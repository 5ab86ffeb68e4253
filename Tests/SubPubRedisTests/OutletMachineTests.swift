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

    @Test("an outlet ends when it finds a greater number, or a later entry", arguments: [("9", "5-1"), ("5", "5-2")])
    func required_8_02_superseded(number: String, last: String) throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("$3\r\n5-1\r\n")
      outlet.lose()
      outlet.machine.retry()
      outlet.connect()
      _ = outlet.taken()
      try outlet.settle(number: number, last: last)
      #expect(outlet.taken() == ["tell superseded", "leave", "end: RedisSuperseded"])
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
        outlet.machine.retry()
        outlet.connect(start: start)
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
      outlet.lose()
      outlet.machine.retry()
      outlet.connect()
      _ = outlet.taken()
      try outlet.settle(number: "5", last: "5-3", holding: ["5-1", "5-3"])
      #expect(outlet.taken() == ["XADD"])
      let statistics = outlet.machine.statistics
      #expect((statistics.entries, statistics.skipped) == (2, 1))
    }

    @Test("an outlet that begins to wait while it writes tells that it doesn't write, and then that it does")
    func required_7_04_8_08_doubt() throws {
      var outlet = try DrivenOutlet(writing: 5)
      outlet.pause(4)
      #expect(outlet.write(1) == ["settle"])
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["tell disconnected", "GET"])
      try outlet.reply("$1\r\n5\r\n")
      outlet.wait(1.25)
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken().first == "settle")
      try outlet.reply(":1\r\n")
      #expect(outlet.taken() == ["tell writes", "proceed"])
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

    @Test("a large state with which connections are lost three times is written as an error")
    func required_8_06_obstacle() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1, bytes: 100_000)
      for losses in 1...3 {
        outlet.lose(isLate: true)
        outlet.machine.retry()
        outlet.connect()
        try outlet.settle(number: "5", last: nil)
        #expect(outlet.machine.statistics.undecodable == (losses < 3 ? 0 : 1))
        guard losses < 3 else { break }
        try outlet.reply(":0\r\n")
        try outlet.settle(number: "5", last: "4-1")
      }
      #expect((outlet.machine.entries.firstEntry?.arguments.byteCount ?? .max) < 1_000)
    }

    @Test("one that stands by asks until the lease is free, renews it, and looks when another one has it")
    func required_8_09_standby() throws {
      var outlet = DrivenOutlet(lease: .seconds(6))
      outlet.connect()
      try outlet.reply("*2\r\n:0\r\n:5000\r\n")
      #expect(outlet.taken() == ["connect", "takeOver", "tell standsBy"])
      outlet.wait(1)
      #expect(outlet.taken() == ["takeOver"])
      try outlet.reply("*4\r\n:1\r\n$1\r\n7\r\n:0\r\n$-1\r\n")
      #expect(outlet.taken() == ["subscribe", "tell writes"])
      outlet.wait(2)
      #expect(outlet.taken() == ["renew", "GET"])
      try outlet.reply(":0\r\n$1\r\n7\r\n")
      #expect(outlet.taken() == ["settle"])
      try outlet.settle(number: "8", last: nil)
      #expect(outlet.taken() == ["tell superseded", "tell disconnected", "leave", "end: RedisSuperseded"])
    }

    @Test("one that stands by forgets former failures, and tells when its connection is lost")
    func required_8_09_8_04_standbyFailures() throws {
      var outlet = DrivenOutlet(lease: .seconds(6))
      outlet.connect()
      try outlet.reply("*2\r\n:0\r\n:5000\r\n")
      _ = outlet.taken()
      let reason = RedisError.Reason.refused("READONLY You can't write")
      #expect(outlet.machine.noteFailure(reason, at: .seconds(1)) == (1, false))
      outlet.wait(1)
      try outlet.reply("*2\r\n:0\r\n:5000\r\n")
      #expect(outlet.machine.noteFailure(reason, at: .seconds(3_600)) == (1, false))
      _ = outlet.taken()
      outlet.lose()
      #expect(outlet.taken() == ["tell disconnected", "leave", "rest: lost"])
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

    @Test(
      "the reason that Redis puts at the end of an error of a script counts", arguments: ["-READONLY it", "-OOM it"])
    func required_8_04_formerVersions(reason: String) throws {
      var outlet = DrivenOutlet()
      outlet.connect()
      _ = outlet.taken()
      try outlet.reply("-ERR Error running script (call to f_ab): @user_script:3: @user_script: 3: \(reason)\r\n")
      #expect(outlet.taken() == ["leave", "rest: \(RedisError.Reason.refused(String(reason.dropFirst())))"])
    }

    @Test("a lease that is gone before its time is left to the one that has lost it for as long as a lease lasts")
    func required_8_09_lostLease() throws {
      let start = Moment.now
      var lease = OutletLease(time: .seconds(6), holder: "me")
      #expect(lease.attempt(at: start) == "first")
      lease.noteRefusal(rest: 4_000, at: start)
      #expect(lease.attempt(at: start + .seconds(3.9)) == "ended")
      lease.noteRefusal(rest: -1, at: start + .seconds(3))
      #expect(lease.attempt(at: start + .seconds(8.9)) == "ended")
      lease.noteRefusal(rest: -1, at: start + .seconds(8))
      #expect(lease.attempt(at: start + .seconds(9)) == "always")
      // Since the last answer, it may have been renewed, and lost then.
      #expect(lease.attempt(at: start + .seconds(11.1)) == "ended")
      lease.noteRefusal(rest: 6_000, at: start + .seconds(9))
      #expect(lease.attempt(at: start + .seconds(9)) == "ended")
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
  }
#endif
