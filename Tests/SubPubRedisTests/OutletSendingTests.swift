#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("What an outlet has on its way")
  struct OutletSendingTests {
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
        #expect(unsent.bytes.count <= 2 * unsent.rest.count)
      }
      sent += unsent.rest
      unsent.removeFirst(unsent.rest.count)
      #expect(sent == added && unsent.isEmpty && unsent.bytes.count == 0)
    }

    @Test("entries from before a lost connection are sent again as far as there is room")
    func required_8_04_8_06_sentAgain() throws {
      var outlet = try DrivenOutlet(writing: 5)
      for version in 1...5 as ClosedRange<UInt64> { _ = outlet.write(version, bytes: 60_000) }
      outlet.pause(2)
      for version in 1...5 { try outlet.reply(DrivenOutlet.string("5-\(version)")) }
      for version in 6...7 as ClosedRange<UInt64> { _ = outlet.write(version, bytes: 60_000) }
      try outlet.replaceConnection(settling: "5", last: "5-5")
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
        outlet.machine.demand.pending = { pending }
        try outlet.replaceConnection(settling: "5", last: "4-9")
        #expect(outlet.machine.statistics.skipped == skipped)
      }
    }

    @Test("an outlet whose publisher has more states than it may keep has one with which a new stream begins")
    func required_8_04_8_06_newStream() throws {
      var outlet = try DrivenOutlet(writing: 5, maxLength: 10)
      for version in 1...5 { _ = outlet.write(UInt64(version)) }
      outlet.machine.demand.pending = { 10 }
      try outlet.replaceConnection(settling: "5", last: nil)
      #expect(outlet.taken() == ["restore"])
      try outlet.reply(":1\r\n")
      #expect((outlet.machine.isWriting, outlet.machine.statistics.entries) == (true, 1))
      #expect(outlet.machine.statistics.skipped == 4)
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
  }
#endif
