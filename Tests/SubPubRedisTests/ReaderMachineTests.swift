#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("A reader's decisions")
  struct ReaderMachineTests {
    @Test("the last entry is read over the connection that waits for the next ones, and then the other one is made")
    func required_8_03_begins() throws {
      var reader = DrivenReader()
      reader.add(7)
      #expect(reader.taken() == ["connect 1"])
      reader.connect(1)
      #expect(reader.taken() == ["1: XREVRANGE key + - COUNT 1"])
      try reader.reply(1, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken() == ["7 current 5-1", "connect 2", "1: XREAD COUNT 512 BLOCK 2000 STREAMS key 5-1"])
      reader.connect(2)
      #expect(reader.taken() == ["2: TIME"])
      try reader.reply(1, DrivenReader.read("key", "5-2", "5-3"))
      #expect(reader.taken() == ["7 entries 5-2 5-3", "1: XREAD COUNT 512 BLOCK 2000 STREAMS key 5-3"])
      try reader.reply(1, DrivenReader.none)
      #expect(reader.taken() == ["7 caughtUp", "1: XREAD COUNT 512 BLOCK 2000 STREAMS key 5-3"])
    }

    @Test("many entries are passed on after the next ones were asked for")
    func required_8_03_many() throws {
      var reader = try DrivenReader(following: "key")
      try reader.reply(1, DrivenReader.read("key", "5-2"))
      #expect(reader.taken().first == "0 entries 5-2")
      let many = (3...19).map { "*2\r\n\(DrivenReader.text("5-\($0)"))*0\r\n" }.joined()
      try reader.reply(1, "*1\r\n*2\r\n$3\r\nkey\r\n*17\r\n" + many)
      let actions = reader.taken()
      #expect(actions.count == 2 && actions[0] == "1: XREAD COUNT 512 BLOCK 2000 STREAMS key 5-19", "\(actions)")
    }

    @Test("a stream that is added while the server waits for others is asked for apart, until the next wait")
    func required_8_10_missed() throws {
      var reader = try DrivenReader(following: "key")
      reader.add(1, "other")
      #expect(reader.taken() == ["2: XREVRANGE other + - COUNT 1"])
      try reader.reply(2, DrivenReader.time, DrivenReader.entries())
      #expect(reader.taken() == ["1 empty", "connect 3"])
      reader.connect(3)
      #expect(reader.taken() == ["3: XREAD COUNT 512 BLOCK 20 STREAMS other 0-0"])
      reader.wait(0.001)
      try reader.reply(1, DrivenReader.none)
      #expect(reader.taken() == ["1: XREAD COUNT 512 BLOCK 2000 STREAMS key other 5-1 0-0"])
      try reader.reply(3, DrivenReader.none)
      #expect(reader.taken() == [])
    }

    @Test("a connection that the server closes while nothing is asked is made again when it is needed")
    func required_8_04_idle() throws {
      var reader = try DrivenReader(following: "key")
      reader.lose(2, isClosed: true)
      #expect(reader.taken() == [])
      reader.wait(2)
      #expect(reader.taken() == ["connect 3"])
      reader.connect(3)
      #expect(reader.taken() == ["3: TYPE key GET key:epoch"])
      try reader.reply(3, DrivenReader.time, DrivenReader.stream, DrivenReader.text("5"))
      #expect(reader.taken() == [])
      // Or just before it is asked; but only once.
      reader.wait(2)
      reader.lose(3, isClosed: true)
      #expect(reader.taken() == ["3: TYPE key GET key:epoch", "connect 4"])
      reader.connect(4)
      #expect(reader.taken() == ["4: TYPE key GET key:epoch"])
      reader.lose(4, isClosed: true)
      #expect(reader.taken() == ["0 ends: lost", "close 1"])
      // It has seen what it answers.
      reader = try DrivenReader(following: "key")
      reader.wait(2)
      try reader.reply(2, DrivenReader.time)
      reader.lose(2, isClosed: true)
      #expect(reader.taken() == ["2: TYPE key GET key:epoch", "0 ends: lost", "close 1"])
    }

    @Test("a reader forgets a stream that nobody follows any more")
    func required_8_10_forgets() throws {
      let other = Array("other".utf8)
      var reader = try DrivenReader(following: "key", "other")
      try reader.reply(1, DrivenReader.read("other", "5-2"))
      #expect(reader.machine.changed == [other])
      reader.machine.slow.noteLoss([other])
      reader.remove(1, "other")
      #expect(reader.machine.changed == [] && reader.machine.slow.step(for: other, after: .zero) == .reads)
      // The wait that is under way still asks for it.
      try reader.reply(1, DrivenReader.read("other", "5-3"))
      #expect(reader.machine.changed == [])
    }

    @Test("a stream that can't be read ends its followers, and if there is none, all of them")
    func required_8_06_refusal() throws {
      var reader = try DrivenReader(following: "key", "other")
      let wrong = "-WRONGTYPE it isn't a stream\r\n"
      try reader.reply(1, wrong)
      #expect(reader.taken() == ["2: TYPE key GET key:epoch TYPE other GET other:epoch"])
      // The one for streams that were missed has asked for the same.
      let types = [DrivenReader.time, "+string\r\n", "$-1\r\n", DrivenReader.stream, "$1\r\n5\r\n"]
      try reader.reply(2, types.joined())
      #expect(reader.taken() == ["2: XREVRANGE key + - COUNT 1"])
      try reader.reply(2, DrivenReader.time, wrong)
      let next = "1: XREAD COUNT 512 BLOCK 2000 STREAMS other 5-1"
      #expect(reader.taken() == ["0 ends: the server refuses: WRONGTYPE it isn't a stream", next])
      try reader.reply(1, "-NOPERM it isn't allowed\r\n")
      _ = reader.taken()
      try reader.reply(2, DrivenReader.time, DrivenReader.stream, "$1\r\n5\r\n")
      #expect(
        reader.taken() == ["1 ends: the server refuses: NOPERM it isn't allowed", "close 1", "close 3", "close 2"])
    }

    @Test("a follower that waits for a check is told of one, and so is one that has been told nothing yet")
    func required_8_01_8_07_checked() throws {
      var reader = try DrivenReader(following: "key", "other")
      reader.machine.receive(.check(at: reader.now + .seconds(1)), of: 1, to: Array("other".utf8), at: reader.now)
      for told in [["1 checked"], []] {
        reader.wait(2)
        #expect(reader.taken() == ["2: TYPE key GET key:epoch TYPE other GET other:epoch"])
        try reader.reply(2, DrivenReader.time, DrivenReader.stream, "$1\r\n5\r\n", DrivenReader.stream, "$1\r\n5\r\n")
        #expect(reader.taken() == told)
      }
      reader.add(2, "other", .after(EntryID(epoch: 5, version: 0)))
      #expect(reader.taken() == ["2: XREVRANGE other + - COUNT 1"])
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("5-1"))
      _ = reader.taken()
      reader.wait(2)
      #expect(reader.taken() == ["2: TYPE key GET key:epoch TYPE other GET other:epoch"])
      try reader.reply(2, DrivenReader.time, DrivenReader.stream, "$1\r\n5\r\n", DrivenReader.stream, "$1\r\n5\r\n")
      #expect(reader.taken() == ["2 checked"])
      // What was passed to one that has ended since is answered late.
      reader.remove(0)
      reader.machine.receive(.check(at: reader.now), of: 0, to: Array("key".utf8), at: reader.now)
      #expect(reader.machine.checks.waiting.isEmpty)
    }

    @Test("a refusal of a wait for a stream that was found meanwhile ends nobody else")
    func required_8_06_refusalOfBoth() throws {
      var reader = try DrivenReader(following: "key")
      reader.add(1, "other")
      try reader.reply(2, DrivenReader.time, DrivenReader.entries())
      reader.connect(3)
      reader.add(2, "other")
      try reader.reply(2, DrivenReader.time, DrivenReader.entries())
      let wrong = "-WRONGTYPE it isn't a stream\r\n"
      try reader.reply(3, wrong)
      let types = [DrivenReader.time, DrivenReader.stream, "$1\r\n5\r\n", "+string\r\n", "$-1\r\n"]
      try reader.reply(2, types.joined())
      try reader.reply(2, DrivenReader.time, wrong)
      _ = reader.taken()
      // The long wait began before.
      try reader.reply(1, DrivenReader.none)
      reader.add(3, "third")
      try reader.reply(2, DrivenReader.time, DrivenReader.entries())
      #expect(!reader.taken().contains { $0.contains("ends") })
    }

    @Test("a connection that is lost while a stream is read that is behind halves its batches, however idle others are")
    func required_8_06_lossesWhileBehind() throws {
      var reader = try DrivenReader(following: "key")
      reader.add(8, "idle")
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("5-1"))
      reader.connect(3)
      try reader.reply(3, DrivenReader.none)
      reader.add(9, "late", .after(EntryID(epoch: 5, version: 1)))
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("5-9"))
      try reader.reply(3, DrivenReader.none)
      #expect(reader.taken().last == "3: XREAD COUNT 512 BLOCK 20 STREAMS idle late 5-1 5-1")
      reader.lose(3, isClosed: true)
      reader.add(7, "key", .after(EntryID(epoch: 5, version: 1)))
      reader.connect(4)
      try reader.reply(4, DrivenReader.time, DrivenReader.entries("5-1"))
      reader.connect(5)
      try reader.reply(5, DrivenReader.time)
      reader.add(8, "idle")
      try reader.reply(5, DrivenReader.time, DrivenReader.entries("5-1"))
      reader.connect(6)
      #expect(reader.taken().last == "6: XREAD COUNT 256 BLOCK 20 STREAMS idle 5-1")
    }

    @Test("connections that are lost while there is nothing to be read leave the batches large")
    func required_8_03_idleLosses() throws {
      var reader = try DrivenReader(following: "key")
      let losses = [(3, "5-1", 512), (5, "5-1", 512), (7, "5-2", 512), (9, "5-3", 256), (11, "5-3", 128)]
      for (number, last, count) in losses {
        reader.lose(number - 2)
        _ = reader.taken()
        reader.add(number, "key", .after(EntryID(epoch: 5, version: 1)))
        reader.connect(number)
        try reader.reply(number, DrivenReader.time, DrivenReader.entries(last))
        #expect(reader.taken().last == "\(number): XREAD COUNT \(count) BLOCK 2000 STREAMS key 5-1")
        // One with a pace doesn't matter.
        reader.connect(number + 1)
        reader.add(-number, "paced", pacing: 100)
        try reader.reply(number + 1, DrivenReader.time)
        try reader.reply(number + 1, DrivenReader.time, DrivenReader.entries())
      }
    }

    @Test("a last entry that takes too long ends only those that follow its stream, with or without a pace")
    func required_8_07_slowLast() throws {
      var reader = DrivenReader()
      let followers = [(0, "slow", nil), (1, "other", nil), (2, "slow", Duration.seconds(1))].map {
        ReaderMachine.Newcomer(follower: $0, key: Array($1.utf8), pacing: $2, position: .newest)
      }
      reader.machine.change(adding: followers, at: reader.now)
      reader.connect(1)
      _ = reader.taken()
      reader.lose(1, isTooSlow: true)
      #expect(reader.taken().count { $0.contains("ends") } == 3, "it isn't known which one it was")
      reader.machine.change(adding: followers, at: reader.now)
      #expect(reader.taken() == ["connect 2"])
      reader.connect(2)
      #expect(reader.taken() == ["2: XREVRANGE slow + - COUNT 1"])
      reader.lose(2, isTooSlow: true)
      #expect(reader.taken() == ["0 ends: lost", "2 ends: lost", "connect 3"])
      reader.connect(3)
      #expect(reader.taken() == ["3: XREVRANGE other + - COUNT 1"])
      try reader.reply(3, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken().first == "1 current 5-1")
    }

    @Test("a follower that waits is told in time that its stream was looked at, and may have entries again")
    func required_8_06_8_08_again() throws {
      var reader = try DrivenReader(following: "key")
      try reader.reply(1, DrivenReader.read("key", "5-2", "5-3"))
      reader.wait(1.5)
      reader.wait(0.5)
      try reader.reply(2, DrivenReader.time, DrivenReader.stream, DrivenReader.text("5"))
      reader.machine.receive(.check(at: reader.now + .seconds(1)), of: 0, to: Array("key".utf8), at: reader.now)
      _ = reader.taken()
      reader.wait(1)
      #expect(reader.taken() == ["2: TYPE key GET key:epoch"])
      reader.machine.receive(
        .entries(after: EntryID(epoch: 5, version: 1)), of: 0, to: Array("key".utf8), at: reader.now)
      reader.connect(3)
      #expect(reader.taken() == ["connect 3", "3: XREAD COUNT 512 BLOCK 20 STREAMS key 5-1"])
      try reader.reply(3, DrivenReader.read("key", "5-2", "5-3"))
      #expect(reader.taken().first == "0 entries 5-2 5-3")
    }

    @Test("a follower that has gone, or can't go on, isn't told of a check, and a late one puts no other one off")
    func required_8_07_checkedLate() throws {
      var reader = try DrivenReader(following: "key", "other")
      for (follower, key) in [(0, "key"), (1, "other")] {
        for seconds in [1.0, 9] {
          let time = reader.now + .seconds(seconds)
          reader.machine.receive(.check(at: time), of: follower, to: Array(key.utf8), at: reader.now)
          #expect(reader.machine.nextTime == reader.now + .seconds(1))
        }
      }
      reader.remove(0)
      #expect(reader.machine.checks.waiting == [1])
      reader.lose(1, "lost")
      #expect(reader.machine.checks.waiting.isEmpty)
    }

    @Test("a server that has become a replica gets a new connection")
    func required_8_04_unblocked() throws {
      var reader = try DrivenReader(following: "key")
      try reader.reply(1, "-UNBLOCKED force unblock from blocking operation, instance state changed\r\n")
      #expect(reader.taken() == ["close 1", "connect 3"])
    }

    @Test("after a reply that takes too long the next entry is read alone, and left out if it takes too long, too")
    func required_8_07_slow() throws {
      var reader = try DrivenReader(following: "key")
      reader.lose(1, isTooSlow: true)
      #expect(reader.taken() == ["0 ends: lost", "close 2"])
      let last = StreamPosition.after(EntryID(epoch: 5, version: 1))
      reader.add(1, "key", last)
      reader.connect(3)
      try reader.reply(3, DrivenReader.time, DrivenReader.entries("5-9"))
      reader.connect(4)
      #expect(reader.taken().last == "4: XREAD COUNT 1 STREAMS key 5-1")
      try reader.reply(4, DrivenReader.time, DrivenReader.read("key", "5-2"))
      // From here on, more and more is asked for at a time.
      #expect(reader.taken() == ["1 entry 5-2", "3: XREAD COUNT 1 BLOCK 2000 STREAMS key 5-2"])
      reader.lose(3, isTooSlow: true)
      reader.add(2, "key", last)
      reader.connect(5)
      try reader.reply(5, DrivenReader.time, DrivenReader.entries("5-9"))
      reader.connect(6)
      reader.lose(6, isTooSlow: true)
      reader.add(3, "key", last)
      reader.connect(7)
      _ = reader.taken()
      try reader.reply(7, DrivenReader.time, DrivenReader.entries("5-9"))
      #expect(reader.taken().first == "3 current 5-9")
      // A mirror that is further leaves nothing out.
      reader.add(4, "key", .after(EntryID(epoch: 5, version: 8)))
      #expect(!reader.taken().contains { $0.hasPrefix("4 current") })
    }

    @Test("what is due is asked for although followers keep coming, and a follower that has gone isn't told anything")
    func required_8_10_turns() throws {
      var reader = try DrivenReader(following: "key")
      reader.add(1, "paced", pacing: 1)
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken() == ["2: XREVRANGE paced + - COUNT 1", "1 current 5-1"])
      reader.wait(0.5)
      reader.add(2, "a")
      reader.wait(0.5)
      reader.add(3, "b")
      reader.remove(2, "a")
      #expect(reader.taken() == ["2: XREVRANGE a + - COUNT 1"])
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("5-1"))
      #expect(reader.taken() == ["2: XREVRANGE paced + - COUNT 1"])
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("5-2"))
      #expect(reader.taken() == ["1 entry 5-2", "2: XREVRANGE b + - COUNT 1"])
    }

    @Test("without followers there are no connections, and a server that can't be reached ends those that wait")
    func required_8_10_ends() throws {
      var reader = try DrivenReader(following: "key")
      reader.remove(0)
      #expect(reader.taken() == ["close 1", "close 2"] && reader.machine.nextTime == nil)
      reader.add(1)
      #expect(reader.taken() == ["connect 3"])
      reader.machine.cannotConnect(.unreachable("refused"), 3, at: reader.now)
      #expect(reader.taken() == ["1 ends: refused"])
      reader.connect(3)
      #expect(reader.taken() == ["close 3"], "nobody wants it any more")
    }

    @Test("a reply may take the time-out, or twice as long if the server waits for entries first")
    func required_8_07_limits() throws {
      var reader = DrivenReader()
      reader.add(0)
      reader.connect(1)
      try reader.reply(1, DrivenReader.time, DrivenReader.entries("5-1"))
      let limits = reader.machine.takeActions().compactMap { action in
        if case .send(let message, over: _) = action { message.limit } else { nil }
      }
      #expect(limits.map(\.limit) == [.seconds(2), .seconds(4)] && limits.allSatisfy { $0.arrival == .seconds(4) })
    }
  }
#endif
