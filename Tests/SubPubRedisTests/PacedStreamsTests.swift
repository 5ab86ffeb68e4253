#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8.06 Followers with a pace")
  struct PacedStreamsTests {
    private let start = Moment.now
    private let key = Array("key".utf8)

    @Test(
      "a follower keeps its pace, and intervals that were missed aren't made up for",
      arguments: [(1.0, 2.0), (1.5, 2.0), (2.0, 3.0), (7.25, 8.25)])
    func required_8_06_2_12_missedIntervals(now: Double, next: Double) {
      var paced = PacedStreams<Int>()
      paced.add(0, to: key, .seconds(1), after: .zero, at: start)
      let now = start + .seconds(now)
      #expect(paced.dueKeys(at: now) == [key])
      _ = paced.take([key: nil], dueAt: now, serverTime: 0, at: now)
      #expect(paced.next == start + .seconds(next))
    }

    @Test("a follower that wants to look before its next interval does, and not later than it would have")
    func required_8_01_8_06_look() {
      var paced = PacedStreams<Int>()
      for follower in 0...1 { paced.add(follower, to: key, .seconds(8 + follower), after: .zero, at: start) }
      paced.look(0, by: start + .seconds(2))
      #expect(paced.next == start + .seconds(2))
      paced.look(0, by: start + .seconds(3))
      #expect(paced.next == start + .seconds(2))
      _ = paced.take([key: nil], dueAt: start + .seconds(2), serverTime: 0, at: start + .seconds(2))
      #expect(paced.next == start + .seconds(9))
    }

    @Test("a follower with a pace that wants an entry again gets it when it is due")
    func required_8_08_againWithPace() throws {
      var reader = try DrivenReader(pacing: 0.5)
      reader.wait(0.5)
      try reader.reply(1, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken() == ["1: XREVRANGE key + - COUNT 1", "0 caughtUp"])
      let place = EntryID(epoch: 5, version: 0)
      reader.machine.receive(.entries(after: place), of: 0, to: Array("key".utf8), at: reader.now)
      try reader.reply(1, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken() == ["1: XREVRANGE key + - COUNT 1", "0 entry 5-1"])
    }

    @Test("a follower with a long pace that waits for a check has it in time")
    func required_8_01_checkWithPace() throws {
      var reader = try DrivenReader(pacing: 60)
      reader.machine.receive(.check(at: reader.now + .seconds(1)), of: 0, to: Array("key".utf8), at: reader.now)
      #expect(reader.machine.nextTime == reader.now + .seconds(1))
      reader.wait(1)
      #expect(reader.taken() == ["1: XREVRANGE key + - COUNT 1"])
      try reader.reply(1, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken() == ["0 caughtUp"])
    }
  }
#endif
