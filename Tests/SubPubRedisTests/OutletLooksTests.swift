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
      let look = try #require(outlet.look()).look
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
      let look = try #require(outlet.look()).look
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
      outlet.lose()
      outlet.reconnect()
      #expect(outlet.taken().last == "settle")
      #expect(outlet.look() == nil)
      outlet = try DrivenOutlet(writing: 5)
      outlet.machine.noteAllTaken(at: outlet.now)
      #expect(outlet.taken() == ["end"])
      #expect(outlet.look() == nil)
    }

    @Test("an outlet is sure for three seconds from when it was asked for a look, not from when the answer came")
    func required_8_08_sureSinceAsked() throws {
      for (seconds, isSure) in [(0.1, true), (1.1, false)] {
        var outlet = try DrivenOutlet(writing: 5)
        let look = try #require(outlet.look()).look
        outlet.machine.timeHasCome(at: outlet.now)
        let answered = outlet.now + .seconds(1.9)
        outlet.machine.looked(look, try replies("$1\r\n5\r\n"), at: answered)
        #expect(outlet.machine.certainty.isSure(at: answered + .seconds(seconds - 0.001)))
        #expect(outlet.machine.certainty.isSure(at: answered + .seconds(seconds + 0.099)) == isSure)
      }
    }

    @Test("an outlet whose last entry isn't read in this round looks at its number alone")
    func required_8_08_otherTurns() throws {
      var outlet = try DrivenOutlet(writing: 5)
      _ = outlet.write(1)
      try outlet.reply(DrivenOutlet.string("5-1"))
      _ = outlet.taken()
      #expect(outlet.look(reading: 0)?.look.end == .entry, "the first one is always read")
      let (look, bytes) = try #require(outlet.look(reading: 1_000, after: 950))
      #expect(look.end == .nothing && bytes == outlet.machine.settings.looks.atNumber)
      outlet.machine.looked(look, try replies("$1\r\n5\r\n"), at: outlet.now)
      #expect(outlet.taken() == [])
    }

    private func answers(_ count: Int) throws -> [RedisReply] {
      try replies(String(repeating: ":1\r\n", count: count))
    }

    /// What users of these sizes ask for in a round.
    private func round(
      _ sizes: [Int], _ turn: OutletLooks<Int>.Turn = .init()
    ) -> (round: OutletLooks<Int>.Round, read: [Int]) {
      var read: [Int] = []
      let round = OutletLooks.round(of: Array(sizes.indices), turn) { user, share, bytes in
        let isRead = share.take(sizes[user])
        if isRead { read.append(user) }
        bytes.append(UInt8(user))
        return OutletLook(connection: 1, sent: .now, end: isRead ? .entry : .nothing)
      }
      #expect(round.bytes.count == sizes.count)
      return (round, read)
    }

    @Test("a round reads so many bytes of last entries, and the next one goes on with those that had to wait")
    func required_8_07_8_09_turns() throws {
      var (looks, read) = (OutletLooks<Int>(), [[Int]]())
      for _ in 1...4 {
        let next = round([20_000, 10_000, 40_000, 10_000], looks.turn)
        read.append(next.read)
        let count = looks.begin(next.round)
        #expect(count == 4 + next.read.count)
        // The last reply comes so late that the next round reads neither more nor less.
        let now = Moment.now
        _ = try looks.take(answers(count - 1), at: now)
        _ = try looks.take(answers(1), at: now + .milliseconds(200))
      }
      #expect(read == [[0, 1], [2], [3, 0], [1]])
    }

    @Test(
      "a round that keeps the link busy lets the next one read less, and one that doesn't lets it read more",
      arguments: [(0, 65_536), (100, 65_536), (200, 32_768), (300, 25_000), (3_000, 2_500)])
    func required_8_07_8_09_slowLinks(milliseconds: Int, next: Int) throws {
      var looks = OutletLooks<Int>()
      for sizes in [[30_000, 30_000], [1, 1]] where milliseconds < 300 || sizes[0] > 1 {
        let count = looks.begin(round(sizes, looks.turn).round)
        // A long way alone says nothing.
        let now = Moment.now + .seconds(2)
        _ = try looks.take(answers(2), at: now)
        #expect(looks.turn.mostBytes == 0, "this round keeps the link busy")
        _ = try looks.take(answers(count - 2), at: now + .milliseconds(milliseconds))
        #expect(looks.turn.mostBytes == next)
      }
    }

    @Test("after a slow round without entries, more and more is read again")
    func required_8_08_recovers() throws {
      var looks = OutletLooks<Int>()
      _ = looks.begin(
        OutletLooks.round(of: [0, 1], looks.turn) { _, _, _ in
          OutletLook(connection: 1, sent: .now, end: .nothing)
        })
      let now = Moment.now
      for seconds in 0...1 { _ = try looks.take(answers(1), at: now + .seconds(seconds)) }
      let least = looks.turn.mostBytes
      let count = looks.begin(round([30_000, 30_000], looks.turn).round)
      _ = try looks.take(answers(count), at: now)
      #expect(least > 0 && looks.turn.mostBytes == 2 * least)
    }

    @Test("three rounds may be on a long way, and no more")
    func required_8_07_8_08_longWay() throws {
      var looks = OutletLooks<Int>()
      for isLast in [false, false, true] {
        #expect(looks.mayBegin)
        _ = looks.begin(round([1]).round)
        #expect(looks.mayBegin == !isLast)
      }
      #expect(try looks.take(answers(2), at: .now).count == 1)
      #expect(looks.mayBegin)
    }

    @Test("replies belong to the looks in their order, also if they arrive one by one")
    func required_8_10_order() throws {
      let looks = [OutletLook.End.nothing, .entry, .large].map { end in
        OutletLook(connection: 1, sent: .now, end: end)
      }
      let all = try replies((1...5).map { ":\($0)\r\n" }.joined())
      for size in 1...5 {
        var underWay = OutletLooks<Int>()
        #expect(underWay.begin(OutletLooks.round(of: [0, 1, 2], .init()) { user, _, _ in looks[user] }) == 4)
        #expect(underWay.begin(OutletLooks.round(of: [3], .init()) { _, _, _ in looks[0] }) == 1)
        var taken: [String] = []
        for start in stride(from: 0, to: 5, by: size) {
          for each in underWay.take(Array(all[start..<min(5, start + size)]), at: .now) {
            taken.append("\(each.user): \(each.replies.compactMap(\.integer))")
          }
        }
        #expect(taken == ["0: [1]", "1: [2, 3]", "2: [4]", "3: [5]"])
      }
    }
  }
#endif
