#if Redis
  import Support
  import Testing

  extension RedisEndpoint {
    /// The path of a socket, without the number of the database.
    var socketPath: String { String("\(self)".dropLast(2)) }
  }

  /// What is true of the stand-in is true of a server.
  extension RedisStandInTests {
    @Test("every command has the reply that a server gives")
    func replies() async throws {
      let lines = Self.commands.map { line in
        line.split(separator: "; ").map { $0.split(separator: " ").map(String.init) }
      }
      try await compare(lines, with: try await RedisServer()) { $0 }
    }

    @Test("commands by chance, and the scripts of outlets, have the replies that a server gives")
    func randomReplies() async throws {
      var chance = RandomCommands(seed: 59)
      let commands = (0..<(TestRounds.areFull ? 100_000 : 3_000)).map { round in
        [round.isMultiple(of: 40) ? ["DEL", "s", "s:epoch", "s:lease"] : chance.command()]
      }
      try await compare(commands, with: try await RedisServer("--appendonly", "no"), RandomCommands.comparable)
    }

    /// Sends the same to the stand-in and to a server, and compares the replies, up to the first that differ.
    private func compare(
      _ all: [[[String]]], with server: RedisServer, _ comparable: @escaping @Sendable (String) -> String
    ) async throws {
      let connections = try [standIn.endpoint.socketPath, server.socket].map {
        try #require(RawServer.connection(to: $0))
      }
      defer { for each in connections { close(each) } }
      let difference: String? = await onOwnThread {
        for (round, commands) in all.enumerated() {
          let replies = connections.map { comparable(Self.reply(to: commands, over: $0)) }
          if replies[0] != replies[1] {
            return "round \(round), \(commands): \(replies[0].debugDescription), not \(replies[1].debugDescription)"
          }
          TestLimit.noteProgress()
        }
        return nil
      }
      if let difference { Issue.record("\(difference)") }
    }

    /// Sends commands, and returns what is replied to them.
    private static func reply(to commands: [[String]], over connection: Int32) -> String {
      for command in commands + [["PING", "end"]] {
        let arguments = command.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        RawServer.send("*\(command.count)\r\n\(arguments)".utf8, to: connection)
      }
      var reply: [UInt8] = []
      while !String(decoding: reply.suffix(5), as: UTF8.self).hasSuffix("end\r\n") {
        let more = RawServer.receive(from: connection)
        if more.isEmpty { break }
        reply += more
      }
      return String(decoding: reply, as: UTF8.self)
    }

    private static let commands =
      [
        "GET a", "SET a 1", "GET a", "TYPE a", "PTTL a", "SET a 2 NX", "GET a", "SET a 3", "GET a", "SET a",
        "SET a 1 ZZ",
        "SET b 1 NX PX 100000", "PTTL none", "PEXPIRE none 5", "PEXPIRE b 100000", "PEXPIRE b x", "TYPE none",
        "SET c 1 PX 1; XREAD BLOCK 20 STREAMS none 0-0; GET c; TYPE c; PTTL c", "DEL a b none", "DEL",
        "XADD s NOMKSTREAM 1-1 f v", "XLEN s", "XADD s 1-1 f v", "XADD s 1-1 f v", "XADD s 0-5 f v", "XADD s 0-0 f v",
        "XADD s 1-2 f", "XADD s x-2 f v", "XADD s 2 f v g w", "XADD s NOMKSTREAM MAXLEN = 10 3-5 f v", "XLEN s",
        "TYPE s",
        "XRANGE s - +", "XRANGE s 1-2 +", "XRANGE s (1-1 (3-5", "XRANGE s 1 1", "XRANGE s + -", "XRANGE none - +",
        "XRANGE s - + COUNT 2", "XREVRANGE s + -", "XREVRANGE s + - COUNT 1", "XREVRANGE s (3-5 1", "XREVRANGE s 2 x",
        "XREVRANGE s 3 2 COUNT 9", "XREAD COUNT 1 STREAMS s 0-0", "XREAD STREAMS s none 1-1 0-0", "XREAD STREAMS s 3-5",
        "XREAD COUNT 5 BLOCK 1 STREAMS s 3-5", "XREAD COUNT x STREAMS s 0", "XSETID none 1-1",
        "XSETID s 2-0", "XSETID s 5-0", "XADD s 4-0 f v", "XADD s MAXLEN 2 5-1 f v", "XRANGE s - +", "GET s",
        "SET a 1; XLEN a", "XADD a 1-1 f v", "XREAD STREAMS a 0", "XRANGE a - +", "SET s 1; GET s; DEL s",
        "SELECT 1; GET a; SELECT 0; GET a", "CLIENT SETNAME me", "PING",
      ] + (1...250).map { "XADD t MAXLEN ~ 100 1-\($0) f v" } + ["XLEN t", "XRANGE t - + COUNT 1"]
  }
#endif
