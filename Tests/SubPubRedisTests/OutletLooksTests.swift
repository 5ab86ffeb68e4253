#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8.08 The looks of outlets")
  struct OutletLooksTests {
    private func replies(_ text: String) throws -> [RedisReply] {
      try #require(ReplyReader()).replies(completedBy: Array(text.utf8)[...]).replies
    }

    @Test(
      "an entry that was sent before the look is the outlet's own, and any other one has to be looked into",
      arguments: [("5-2", false), ("5-1", true), ("5-3", true), ("4-9", true), ("6-2", true)])
    func required_8_08_sentBefore(last: String, isStrange: Bool) throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply(DrivenOutlet.string("5-1"))
      var bytes: [UInt8] = []
      let look = try #require(outlet.machine.look(at: outlet.now, askingWith: &bytes))
      // Another thread sends this first.
      _ = outlet.write(2)
      try outlet.reply(DrivenOutlet.string("5-2"))
      let answer = try replies("$1\r\n5\r\n*1\r\n*2\r\n\(DrivenOutlet.string(last))*0\r\n")
      outlet.machine.looked(look, answer, at: outlet.now)
      #expect(outlet.taken() == (isStrange ? ["settle"] : []))
    }

    @Test("an answer over a connection that isn't used any more says nothing, and a refusal ends its use")
    func required_8_07_formerConnection() throws {
      var outlet = try DrivenOutlet(writing: 5)
      var bytes: [UInt8] = []
      let look = try #require(outlet.machine.look(at: outlet.now, askingWith: &bytes))
      #expect(look.replyCount == 1, "nothing was written that could be missing")
      outlet.machine.looked(look, try replies("-NOPERM no\r\n"), at: outlet.now)
      #expect(outlet.taken().last?.contains("the server refuses: NOPERM") ?? false)
      outlet.reconnect()
      try outlet.settle(number: "5", last: nil)
      #expect(outlet.machine.isWriting)
      _ = outlet.taken()
      outlet.machine.looked(look, try replies("$1\r\n9\r\n"), at: outlet.now)
      #expect(outlet.taken() == [])
    }

    @Test("an outlet that compares, waits for its lease, or ends isn't asked about")
    func required_8_08_nothingToSee() throws {
      var outlet = try DrivenOutlet(writing: 5)
      var bytes: [UInt8] = []
      outlet.lose()
      outlet.reconnect()
      #expect(outlet.taken().last == "settle")
      #expect(outlet.machine.look(at: outlet.now, askingWith: &bytes) == nil && bytes.isEmpty)
      outlet = try DrivenOutlet(writing: 5)
      outlet.machine.noteAllTaken(at: outlet.now)
      #expect(outlet.taken() == ["end"])
      #expect(outlet.machine.look(at: outlet.now, askingWith: &bytes) == nil && bytes.isEmpty)
    }

    @Test("replies belong to the looks in their order, also if they arrive one by one")
    func required_8_10_order() throws {
      let looks = [OutletLook.End.nothing, .entry, .large].map { end in
        OutletLook(connection: 1, sent: .now, end: end)
      }
      let all = try replies((1...4).map { ":\($0)\r\n" }.joined())
      for size in 1...4 {
        var underWay = OutletLooks<Int>()
        #expect(underWay.begin(looks.enumerated().map { .init(user: $0, look: $1) }) == 4)
        var taken: [String] = []
        for start in stride(from: 0, to: 4, by: size) {
          #expect(!underWay.isEmpty)
          for each in underWay.take(Array(all[start..<min(4, start + size)])) {
            taken.append("\(each.user): \(each.replies.compactMap(\.integer))")
          }
        }
        #expect(taken == ["0: [1]", "1: [2, 3]", "2: [4]"] && underWay.isEmpty)
      }
    }
  }
#endif
