#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8.08 A reader whose stream has smaller numbers than before")
  struct OlderCopyTests {
    /// A reader that waits for what follows an entry, with one connection that rests and one that asks.
    private func reader(after id: String) throws -> DrivenReader {
      var reader = DrivenReader()
      reader.add(0)
      reader.connect(1)
      try reader.reply(1, DrivenReader.time, DrivenReader.entries(id))
      reader.connect(2)
      try reader.reply(2, DrivenReader.time)
      _ = reader.taken()
      return reader
    }

    /// Waits, and lets the reader find what there is at its key; returns what it does then.
    private func look(
      _ reader: inout DrivenReader, after seconds: Double, _ number: String, last id: String
    ) throws -> [String] {
      reader.wait(seconds)
      #expect(reader.taken() == ["2: TYPE key GET key:epoch"])
      try reader.reply(2, DrivenReader.time, DrivenReader.stream, DrivenReader.text(number))
      let actions = reader.taken()
      if actions != ["2: XREVRANGE key + - COUNT 1"] { return actions }
      try reader.reply(2, DrivenReader.time, DrivenReader.entries(id))
      return reader.taken()
    }

    @Test("an older copy isn't read, however long it is there, if the numbers are times in the past")
    func required_8_08_olderCopyStays() throws {
      var reader = try reader(after: "6-2")
      for _ in 1...5 { #expect(try look(&reader, after: 2, "5", last: "5-9") == []) }
      try reader.reply(1, DrivenReader.read("key", "6-3"))
      #expect(reader.taken().first == "0 entries 6-3")
    }

    @Test("a stream that has begun anew is read from its beginning on, at once, if its numbers are ahead of the clock")
    func required_8_01_begunAnew() throws {
      var reader = try reader(after: "9999-2")
      #expect(try look(&reader, after: 2, "5", last: "5-3") == [])
      for _ in 1...3 { #expect(try look(&reader, after: 0.5, "5", last: "5-3") == []) }
      // The long wait is under way, and misses it.
      #expect(try look(&reader, after: 0.5, "5", last: "5-3") == ["connect 3"])
      reader.connect(3)
      #expect(reader.taken() == ["3: XREAD COUNT 512 BLOCK 20 STREAMS key 0-0"])
      try reader.reply(3, DrivenReader.read("key", "5-1", "5-2", "5-3"))
      #expect(reader.taken().first == "0 entries 5-1 5-2 5-3")
    }

    @Test("an outlet has two seconds to write what is missing, each time")
    func required_8_08_olderDataAppears() throws {
      var reader = try reader(after: "9999-2")
      for _ in 1...2 {
        #expect(try look(&reader, after: 2, "5", last: "5-3") == [])
        for _ in 1...3 { #expect(try look(&reader, after: 0.5, "5", last: "5-3") == []) }
        #expect(try look(&reader, after: 0.5, "9999", last: "9999-2") == [])
      }
    }

    /// A reader with a pace of half a second.
    private func pacedReader(after id: String) throws -> DrivenReader {
      var reader = DrivenReader()
      reader.add(0, pacing: 0.5)
      reader.connect(1)
      try reader.reply(1, DrivenReader.time, DrivenReader.entries(id))
      #expect(reader.taken() == ["connect 1", "1: XREVRANGE key + - COUNT 1", "0 current \(id)"])
      return reader
    }

    /// Waits for the pace, and lets the reader find what there is at its key; returns what it does then.
    private func look(_ reader: inout DrivenReader, last id: String) throws -> [String] {
      reader.wait(0.5)
      var asked = reader.taken()
      if asked == ["1: TIME"] {
        // Now and then, it looks whether the server is still there.
        try reader.reply(1, DrivenReader.time)
        asked = reader.taken()
      }
      #expect(asked == ["1: XREVRANGE key + - COUNT 1"])
      try reader.reply(1, DrivenReader.time, DrivenReader.entries(id))
      return reader.taken()
    }

    @Test("with a pace, an older copy isn't shown, however long it is there, if the numbers are times in the past")
    func required_8_08_pacedOlderCopy() throws {
      var reader = try pacedReader(after: "6-2")
      for _ in 1...10 { #expect(try look(&reader, last: "5-9") == []) }
      #expect(try look(&reader, last: "6-3") == ["0 entry 6-3"])
      #expect(try look(&reader, last: "6-3") == ["0 caughtUp"])
    }

    @Test("for how long an older copy was there before doesn't count when it appears again")
    func required_8_08_pacedOlderCopyAgain() throws {
      var reader = try pacedReader(after: "9999-2")
      for version in 3...5 {
        for _ in 1...4 { #expect(try look(&reader, last: "5-9") == []) }
        #expect(try look(&reader, last: "9999-\(version)") == ["0 entry 9999-\(version)"])
      }
      for _ in 1...4 { #expect(try look(&reader, last: "5-9") == []) }
      #expect(try look(&reader, last: "5-9") == ["0 entry 5-9"], "it has begun anew")
    }

    @Test("a connection that the server closes while a reader with a pace asks for nothing is made again")
    func required_8_04_pacedIdle() throws {
      var reader = try pacedReader(after: "6-2")
      reader.lose(1, isClosed: true)
      #expect(reader.taken() == [])
      reader.wait(0.5)
      #expect(reader.taken() == ["connect 2"])
      reader.connect(2)
      #expect(reader.taken() == ["2: XREVRANGE key + - COUNT 1"])
      try reader.reply(2, DrivenReader.time, DrivenReader.entries("6-3"))
      #expect(reader.taken() == ["0 entry 6-3"])
    }
  }
#endif
