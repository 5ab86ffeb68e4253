#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("Replies are put together from pieces, and none takes all memory")
  struct ReplyReaderTests {
    /// What is read, from pieces of that size, until something is wrong.
    private func read(
      _ text: String, inPiecesOf size: Int, _ limits: ReplyLimits = ReplyLimits()
    ) throws -> (replies: [RedisReply], failure: String?) {
      let (reader, bytes) = (try #require(ReplyReader(limits)), Array(text.utf8))
      var all: [RedisReply] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        let (replies, failure) = reader.replies(completedBy: bytes[start...].prefix(size))
        all += replies
        if let failure { return (all, "\(failure)") }
      }
      return (all, nil)
    }

    private static let small = ReplyLimits(stringBytes: 10, bytes: 25, elements: 16, depth: 3, lineBytes: 24)

    @Test("a reply up to the limits is taken, in pieces of any size", arguments: [1, 2, 3, 7, 1_000])
    func required_8_01_8_05_upToTheLimits(size: Int) throws {
      let ten = "$10\r\n0123456789\r\n"
      let lines =
        ":9223372036854775807\r\n:-9223372036854775808\r\n+OK\r\n-ERR 4567890\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n"
      let arrays = "*2\r\n\(ten)\(ten)*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n*7\r\n" + (1...7).map { ":\($0)\r\n" }.joined()
      // All at once is one reply more than the small limits are for.
      let limits = size == 1_000 ? ReplyLimits() : Self.small
      let (replies, failure) = try read(ten + lines + arrays, inPiecesOf: size, limits)
      try #require(failure == nil && replies.count == 12, "\(failure ?? ""), \(replies.count)")
      #expect(replies[0].text == "0123456789" && replies[8].text == "")
      #expect(replies[1].integer == .max && replies[2].integer == .min && replies[3].text == "OK")
      #expect(replies[4].refusal == "ERR 4567890" && replies[5].isNil && replies[6].isNil && !replies[7].isNil)
      #expect(replies[9].count == 2 && replies[9][1]?.text == "0123456789")
      #expect(replies[10][0]?[0]?[0]?[0]?.integer == 1)
      #expect(replies[11].count == 7 && replies[11][6]?.integer == 7)
    }

    @Test(
      "a length that is too great is refused as soon as it has arrived, after the replies before it",
      arguments: [
        ("$9000000000000000000\r\n", "a string with more than 536870912 bytes"),
        ("*2\r\n:1\r\n$536870913\r\n", "a string with more than 536870912 bytes"),
        ("$99999999999999999999\r\n", "Redis' protocol"), ("$x\r\n", "Redis' protocol"),
        ("*4194305\r\n", "more than 4194304 elements"),
        ("*1000\r\n*1000\r\n" + String(repeating: ":1\r\n", count: 1_000) + "*4193000\r\n", "elements"),
        // In older versions of hiredis, its own limit is the same.
        (String(repeating: "*1\r\n", count: 9), "nested"),
        ("+" + String(repeating: "1", count: 65_537), "a line with more than 65536 bytes"),
      ])
    func required_8_05_tooLong(text: String, part: String) throws {
      for size in [1, 1_000_000] {
        let (replies, failure) = try read("+OK\r\n" + text, inPiecesOf: size)
        #expect(replies.count == 1)
        #expect(failure?.contains(part) == true, "\(failure ?? "nothing")")
      }
    }

    @Test("the strings of a reply together are limited, too", arguments: [1, 1_000])
    func required_8_05_manyStrings(size: Int) throws {
      let text = "*3\r\n" + String(repeating: "$9\r\n012345678\r\n", count: 3)
      #expect(try read(text, inPiecesOf: size, Self.small).failure?.contains("more than 25 bytes") == true)
    }
  }
#endif
