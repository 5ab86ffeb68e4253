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
      outlet.lose()
      outlet.reconnect()
      _ = outlet.taken()
      try outlet.settle(number: number, last: last)
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
      outlet.lose()
      outlet.reconnect()
      _ = outlet.taken()
      try outlet.settle(number: "5", last: "5-3", holding: ["5-1", "5-3"])
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

    @Test("the more bytes a link takes in a short time, the more are on their way, up to 8 MB")
    func required_8_04_bytesOnTheWay() throws {
      for (windows, kilobytes) in [(0, 256), (1, 512), (3, 2_048), (6, 8_192)] {
        var outlet = try DrivenOutlet(writing: 5, maxLength: 1_000)
        var (version, bytes): (UInt64, Int) = (0, 0)
        for _ in 0...windows {
          bytes = 0
          while outlet.machine.mayTake {
            version += 1
            bytes += outlet.write(version, bytes: 17_000).count * 17_000
          }
          guard bytes < kilobytes << 10 else { break }
          while outlet.machine.entries.count > 0 {
            let next = version - UInt64(outlet.machine.entries.count) + 1
            try outlet.reply(DrivenOutlet.string("5-\(next)"))
          }
          _ = outlet.taken()
        }
        let expected = kilobytes << 10
        #expect((expected * 97 / 100...expected + 17_000).contains(bytes), "\(windows): \(bytes)")
      }
    }

    @Test("a refused id says nothing over another connection, where the entry may have arrived")
    func required_8_06_8_02_refusedBefore() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply("-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n")
      outlet.lose()
      outlet.reconnect()
      _ = outlet.taken()
      try outlet.settle(number: "5", last: "4-9")
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

    @Test("a state that a server can't take is given up even if nothing follows it")
    func required_8_04_tooLargeAlone() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for attempt in 1...3 {
        if attempt == 1 { _ = outlet.write(1, bytes: 2_000_000) }
        #expect(outlet.machine.undecodable == 0)
        try outlet.reply("-ERR Protocol error: invalid bulk length\r\n")
        outlet.reconnect()
        try outlet.settle(number: "5", last: "4-9")
        _ = outlet.taken()
      }
      #expect((outlet.machine.undecodable, outlet.machine.entries.count) == (1, 1))
    }

    @Test("a window follows what a link takes, and what is seldom sent proves nothing")
    func required_8_04_8_09_sendWindow() {
      let start = Moment.now
      func id(_ version: UInt64) -> EntryID { EntryID(epoch: 1, version: version) }
      var window = SendWindow(patience: .seconds(1))
      for version in 1...9 as ClosedRange<UInt64> {
        window.noteSending(upTo: id(version), 1_000, at: start)
        window.noteReply(to: id(version), at: start)
      }
      #expect(window.byteCount == 256 << 10)
      // Only the last entry is timed, and only once.
      window.noteSending(upTo: id(12), 400_000, at: start)
      window.noteReply(to: id(11), at: start + .seconds(9))
      window.noteSending(upTo: id(13), 500_000, at: start + .seconds(9))
      #expect(window.byteCount == 256 << 10)
      window.noteReply(to: id(12), at: start + .seconds(4))
      #expect(window.byteCount == 100_000)
      window.noteReply(to: id(13), at: start + .seconds(90))
      // What a lost connection owes isn't counted.
      window.noteSending(upTo: id(14), 100_000, at: start)
      window.forget()
      window.noteReply(to: id(14), at: start + .seconds(9))
      #expect(window.byteCount == 100_000)
      // A reply that is neither quick nor late changes nothing.
      window.noteSending(upTo: id(15), 100_000, at: start)
      window.noteReply(to: id(15), at: start + .seconds(0.8))
      #expect(window.byteCount == 100_000)
    }

    @Test("entries from before a lost connection are sent again as far as there is room")
    func required_8_04_8_06_sentAgain() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for version in 1...5 as ClosedRange<UInt64> { _ = outlet.write(version, bytes: 60_000) }
      outlet.pause(2)
      for version in 1...5 { try outlet.reply(DrivenOutlet.string("5-\(version)")) }
      for version in 6...7 as ClosedRange<UInt64> { _ = outlet.write(version, bytes: 60_000) }
      outlet.lose()
      outlet.reconnect()
      _ = outlet.taken()
      try outlet.settle(number: "5", last: "5-5")
      #expect(outlet.taken() == ["XADD × 2"])
      try outlet.reply(DrivenOutlet.string("5-6") + DrivenOutlet.string("5-7"))
      #expect(outlet.machine.statistics.entries == 7)
    }

    @Test("an outlet keeps as many states as it may, with those that its publisher has", arguments: [1, 2, 10])
    func required_8_04_fewStates(maxLength: Int) throws {
      let onTheWay = max(1, maxLength / 2)
      for (pending, skipped) in [(maxLength - onTheWay, 0), (maxLength, onTheWay)] {
        var outlet = try DrivenOutlet(writing: 5, maxLength: maxLength)
        for version in 1...onTheWay { _ = outlet.write(UInt64(version)) }
        #expect(!outlet.machine.mayTake)
        outlet.lose()
        outlet.machine.demand.pending = { pending }
        outlet.reconnect()
        try outlet.settle(number: "5", last: "4-9")
        #expect(outlet.machine.statistics.skipped == skipped)
      }
    }

    @Test("an outlet whose publisher has more states than it may keep has one with which a new stream begins")
    func required_8_04_8_06_newStream() throws {
      var outlet = try DrivenOutlet(writing: 5, maxLength: 10)
      for version in 1...5 { _ = outlet.write(UInt64(version)) }
      outlet.lose()
      outlet.machine.demand.pending = { 10 }
      outlet.reconnect()
      _ = outlet.taken()
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.taken() == ["restore"])
      try outlet.reply(":1\r\n")
      #expect((outlet.machine.isWriting, outlet.machine.statistics.entries) == (true, 1))
      #expect(outlet.machine.statistics.skipped == 4)
    }

    @Test("what waits for room in a socket holds no more memory than twice what is left, and loses nothing")
    func required_8_04_unsent() {
      var (unsent, sent, added) = (UnsentBytes(), [UInt8](), [UInt8]())
      for round in 0..<1_000 {
        let new = (0..<100).map { UInt8(truncatingIfNeeded: round &+ $0) }
        unsent.append(new[...])
        added += new
        // The socket never takes all of them.
        let taken = unsent.rest.prefix(round < 3 ? 50 : 100)
        sent += taken
        unsent.removeFirst(taken.count)
        #expect(unsent.heldCount <= 2 * unsent.rest.count)
      }
      sent += unsent.rest
      unsent.removeFirst(unsent.rest.count)
      #expect(sent == added && unsent.isEmpty && unsent.heldCount == 0)
    }

    @Test("the first connection replaces none, even if the server wasn't there before")
    func required_8_07_noReconnect() throws {
      var outlet = DrivenOutlet()
      outlet.machine.cannotConnect(.unreachable("refused"))
      outlet.reconnect()
      try outlet.reply("*4\r\n:1\r\n$1\r\n5\r\n:0\r\n$-1\r\n")
      #expect(outlet.machine.isWriting && outlet.machine.statistics.reconnects == 0)
      outlet.lose()
      outlet.reconnect()
      try outlet.settle(number: "5", last: nil)
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
