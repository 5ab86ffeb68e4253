#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("8.09 An outlet that has a lease, or waits for one")
  struct OutletLeaseTests {
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

    @Test("a lease that is gone before its time is left to the one that has lost it for as long as a lease lasts")
    func required_8_09_lostLease() throws {
      let start = Moment.now
      var lease = OutletLease(time: .seconds(6), holder: "me")
      #expect(lease.attempt(at: start) == "first")
      lease.noteRefusal(rest: 4_000, at: start)
      #expect(lease.attempt(at: start + .seconds(3.9)) == "ended")
      lease.noteRefusal(rest: -1, at: start + .seconds(3))
      for seconds in [5, 8.9] { #expect(lease.attempt(at: start + .seconds(seconds)) == "ended") }
      lease.noteRefusal(rest: -1, at: start + .seconds(8))
      #expect(lease.attempt(at: start + .seconds(9)) == "always")
      // Since the last answer, it may have been renewed, and lost then.
      #expect(lease.attempt(at: start + .seconds(11.1)) == "ended")
      lease.noteRefusal(rest: 6_000, at: start + .seconds(9))
      #expect(lease.attempt(at: start + .seconds(9)) == "ended")
    }

    @Test("a lease that is gone when its time is over wasn't lost")
    func required_8_09_endedMeanwhile() {
      let (start, time) = (Moment.now, Duration.seconds(6))
      for (rest, answer, next) in [(1_000, 1_000, "ended"), (1_000, 1_001, "always"), (1_000, 2_900, "always")]
        as [(Int64, Int64, String)]
      {
        var lease = OutletLease(time: time, holder: "me")
        lease.noteRefusal(rest: rest, at: start)
        let answered = start + .milliseconds(answer)
        lease.noteRefusal(rest: -1, at: answered)
        #expect(lease.attempt(at: answered) == next)
        #expect(lease.nextAttempt(after: answered, atLeastEvery: .seconds(1)) > answered)
      }
      // Who hasn't heard of it for long doesn't know whether it was renewed, and lost then.
      var lease = OutletLease(time: time, holder: "me")
      lease.noteRefusal(rest: 4_000, at: start)
      for seconds in [4.5, 9, 10.4] { lease.noteRefusal(rest: -1, at: start + .seconds(seconds)) }
      #expect(lease.attempt(at: start + .seconds(10.4)) == "ended")
      #expect(lease.attempt(at: start + .seconds(10.5)) == "always")
    }

    @Test("a lease ends a millisecond after the time that the server says, because it drops fractions")
    func required_8_09_fractions() {
      let start = Moment.now
      var lease = OutletLease(time: .seconds(6), holder: "me")
      lease.noteRefusal(rest: 1_000, at: start)
      #expect(lease.attempt(at: start + .microseconds(1_000_900)) == "ended")
      #expect(lease.attempt(at: start + .milliseconds(1_001)) == "always")
      // It ends in this millisecond, and isn't lost.
      lease.noteRefusal(rest: 0, at: start)
      #expect(lease.attempt(at: start + .milliseconds(1)) == "always")
    }

    @Test("one that stands by asks again when the lease of the other one ends, and notices a dead connection before")
    func required_8_09_8_07_nextAttempt() throws {
      for (rest, next) in [(400, 0.401), (5_000, 1), (86_400_000, 1), (-1, 1)] {
        var outlet = DrivenOutlet(lease: .seconds(86_400))
        outlet.connect()
        try outlet.reply("*2\r\n:0\r\n:\(rest)\r\n")
        #expect(outlet.machine.nextTime == outlet.now + .seconds(next), "\(rest)")
      }
    }

    @Test("a lease is renewed in time although the reply to the renewal before is held up")
    func required_8_09_lateReply() throws {
      var outlet = try DrivenOutlet(writing: 7, lease: .seconds(6))
      func renewals() -> Int { outlet.taken().count { $0 == "renew" } }
      var counts: [Int] = []
      for _ in 1...5 {
        outlet.wait(1)
        counts.append(renewals())
      }
      #expect(counts == [0, 1, 0, 1, 0])
      let sent = outlet.now
      // To the first renewal, between looks.
      try outlet.reply("$1\r\n7\r\n:1\r\n")
      #expect(outlet.machine.nextTime == sent + .seconds(1))
      outlet.wait(1)
      #expect(renewals() == 1)
      outlet.lose()
      outlet.machine.retry()
      outlet.connect()
      try outlet.settle(number: "7", last: nil)
      #expect(renewals() == 1, "those of the former connection don't count")
    }

    @Test("an outlet that waits for the one before to notice renews its lease meanwhile")
    func required_8_09_8_08_renewsWhileWaiting() throws {
      var outlet = DrivenOutlet(lease: .seconds(3))
      outlet.connect()
      try outlet.reply("*4\r\n:1\r\n$1\r\n7\r\n:1\r\n$-1\r\n")
      #expect(outlet.taken() == ["connect", "takeOver", "subscribe"])
      for _ in 1...3 {
        outlet.wait(1)
        #expect(outlet.machine.isWaiting && outlet.taken() == ["renew", "GET"])
        try outlet.reply(":1\r\n$1\r\n7\r\n")
      }
      outlet.wait(0.25)
      #expect(outlet.taken() == ["settle"])
    }
  }
#endif
