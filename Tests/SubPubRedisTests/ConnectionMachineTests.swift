#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  /// What happens on a connection, with seconds as times, and what is done.
  private struct Driven {
    typealias Machine = ConnectionMachine<String>

    private static let start = Moment.now
    var machine: Machine
    /// What has been done, in words.
    private var done: [String] = []

    /// Begins to connect, within 10 seconds.
    init(isEncrypted: Bool = false) throws {
      machine = Machine(
        try #require(ReplyReader()), isEncrypted: isEncrypted, by: Self.start + .seconds(10), limit: .seconds(10),
        at: Self.start)
    }

    /// One that can be used, with these channels.
    init(open channels: String...) throws {
      try self.init()
      act { machine, actions in
        machine.connected(at: Self.start, &actions)
        for channel in channels { machine.add(channel, &actions) }
      }
      done = []
    }

    mutating func act(_ body: (inout Machine, inout Machine.Actions) -> Void) {
      var actions = Machine.Actions()
      body(&machine, &actions)
      for (channel, replies) in actions.deliveries { done.append("\(channel): \(replies.map(\.text))") }
      if let (reason, channels, late) = actions.end {
        done.append("end of \(channels.sorted()): \(reason)")
        self.late = late
      }
      if actions.opens { done.append("open") }
    }

    /// Whose reply was too late.
    private(set) var late: String?

    /// What has been done since the last call.
    mutating func taken() -> [String] {
      defer { done = [] }
      return done
    }

    mutating func connected(at time: Double) { act { $0.connected(at: Self.start + .seconds(time), &$1) } }
    mutating func secured(at time: Double) { act { $0.secured(at: Self.start + .seconds(time), &$1) } }
    mutating func lose(_ what: String) { act { $0.lose(.unreachable(what), &$1) } }
    mutating func timeHasCome(_ time: Double) { act { $0.timeHasCome(Self.start + .seconds(time), &$1) } }

    /// A channel sends commands, whose replies may take 3 seconds each.
    @discardableResult
    mutating func request(_ channel: String, _ count: Int = 1, at time: Double = 0) -> RedisError.Reason? {
      let limit = TimeLimit(limit: .seconds(3))
      return machine.request(
        .init(channel: channel, count: count, limit: limit, sent: Self.start + .seconds(time)))
    }

    mutating func transmitted(_ taken: Int, of queued: Int, at time: Double) {
      machine.transmitted(taken, of: queued, at: Self.start + .seconds(time))
    }

    mutating func received(_ text: String, at time: Double = 0) {
      act { $0.received(Array(text.utf8)[...], at: Self.start + .seconds(time), &$1) }
    }

    /// Waits from that time on; returns until when.
    mutating func wait(at time: Double) -> Double? {
      machine.wait(at: Self.start + .seconds(time)).map { Self.start.duration(to: $0) / .seconds(1) }
    }
  }

  @Suite("8 What is decided on one connection")
  struct ConnectionMachineTests {
    @Test("a connection is open when it is made, and when both sides agree on encryption if there is any")
    func required_8_07_opening() throws {
      var plain = try Driven()
      #expect(plain.wait(at: 0) == 10)
      plain.secured(at: 1)
      #expect(plain.taken() == [])
      plain.connected(at: 1)
      #expect(plain.taken() == ["open"] && plain.wait(at: 1) == nil)
      plain.connected(at: 2)
      #expect(plain.taken() == [])

      var encrypted = try Driven(isEncrypted: true)
      encrypted.connected(at: 1)
      #expect(encrypted.taken() == [] && encrypted.wait(at: 1) == 10)
      encrypted.secured(at: 2)
      #expect(encrypted.taken() == ["open"] && encrypted.wait(at: 2) == nil)
    }

    @Test("a connection that isn't open in time is over, and the error says what has taken too long")
    func required_8_07_lateOpening() throws {
      for (isEncrypted, part) in [(false, "cannot connect: Connection timed out"), (true, "10.0 seconds to agree")] {
        var late = try Driven(isEncrypted: isEncrypted)
        late.act { $0.add("a", &$1) }
        if isEncrypted { late.connected(at: 9) }
        late.timeHasCome(9.9)
        #expect(late.taken() == [])
        late.timeHasCome(10)
        let done = late.taken()
        #expect(done.count == 1 && done[0].hasPrefix("end of [\"a\"]: ") && done[0].contains(part), "\(done)")
        late.connected(at: 11)
        late.secured(at: 11)
        #expect(late.taken() == [] && late.machine.failure != nil)
      }
    }

    @Test("replies go to the channels that have asked, in the order of the commands", arguments: [1, 2, 5, 100])
    func required_8_01_whoseReply(size: Int) throws {
      var driven = try Driven(open: "a", "b")
      for (channel, count) in [("a", 2), ("b", 1), ("a", 1), ("b", 3)] { driven.request(channel, count) }
      driven.act { machine, _ in machine.remove("b") }
      let text = Array((1...7).map { "+\($0)\r\n" }.joined().utf8)
      for start in stride(from: 0, to: text.count, by: size) {
        driven.received(String(decoding: text[start...].prefix(size), as: UTF8.self))
      }
      // Also to one that doesn't want to know of the end.
      let all = ["a: 1", "a: 2", "b: 3", "a: 4", "b: 5", "b: 6", "b: 7"]
      let done = driven.taken().flatMap { each in
        each.dropFirst(4).dropLast().split(separator: ", ").map { "\(each.prefix(1)): \($0.dropFirst().dropLast())" }
      }
      #expect(done == all)
      #expect(driven.wait(at: 100) == nil)
    }

    @Test("what nobody has asked for, and what isn't the protocol, ends the connection after the replies before it")
    func required_8_05_unasked() throws {
      for (text, part) in [
        ("+2\r\n", "a reply that nobody has asked for"),
        ("-ERR max number of clients reached\r\n", "max number of clients"),
        ("hello", "Redis' protocol"),
      ] {
        var driven = try Driven(open: "a")
        driven.request("a")
        driven.received("+1\r\n" + text)
        let done = driven.taken()
        try #require(done.count == 2)
        #expect(done[0] == "a: [\"1\"]" && done[1].hasPrefix("end of [\"a\"]: ") && done[1].contains(part), "\(done)")
        driven.received("+3\r\n")
        #expect(driven.taken() == [])
      }
    }

    @Test("a reply has to come in time after its command or the reply before it, whatever is later")
    func required_8_07_timeOfAReply() throws {
      var driven = try Driven(open: "a", "b")
      driven.request("a", 2, at: 1)
      #expect(driven.wait(at: 1) == 4)
      driven.request("b", at: 2)
      #expect(driven.wait(at: 2) == 4)
      // A part of a reply isn't one.
      driven.received("+1", at: 3)
      #expect(driven.wait(at: 3) == 4)
      driven.received("\r\n", at: 3.5)
      #expect(driven.wait(at: 3.5) == 6.5)
      driven.received("+2\r\n", at: 6)
      #expect(driven.wait(at: 6) == 9)
      driven.received("+3\r\n", at: 8)
      #expect(driven.wait(at: 8) == nil)
      driven.timeHasCome(50)
      driven.request("b", at: 100)
      #expect(driven.wait(at: 100) == 103)
      _ = driven.taken()
      driven.timeHasCome(102.9)
      #expect(driven.taken() == [])
      driven.timeHasCome(103)
      #expect(driven.late == "b")
      #expect(driven.taken() == [#"end of ["a", "b"]: the server takes longer than 3.0 seconds to reply"#])
    }

    @Test("if the thread that receives was busy, the server has half of the time more, once for each reply")
    func required_8_07_busyThread() throws {
      var driven = try Driven(open: "a")
      driven.request("a", 2, at: 0)
      // It waits, is as late as any thread may be, and then it was busy until 9.
      #expect(driven.wait(at: 0) == 3 && driven.wait(at: 3.01) == 3 && driven.wait(at: 9) == 10.5)
      #expect(driven.wait(at: 10) == 10.5 && driven.wait(at: 12) == 10.5)
      driven.received("+1\r\n", at: 12)
      #expect(driven.wait(at: 12) == 15 && driven.wait(at: 20) == 21.5)
      _ = driven.taken()
      driven.timeHasCome(21.5)
      #expect(driven.taken().count == 1)
    }

    @Test("the end of a connection is told once, with the first reason, and at once to channels that come later")
    func required_8_07_endOfAConnection() throws {
      var driven = try Driven(open: "a", "b", "c")
      driven.request("a")
      driven.act { machine, _ in machine.remove("c") }
      driven.lose("it was lost")
      #expect(driven.taken() == [#"end of ["a", "b"]: it was lost"#])
      driven.lose("once more")
      driven.timeHasCome(100)
      driven.received("+1\r\n")
      #expect(driven.taken() == [] && driven.wait(at: 100) == nil)
      driven.act { $0.add("d", &$1) }
      #expect(driven.taken() == [#"end of ["d"]: it was lost"#])
      #expect(driven.request("a") == .unreachable("it was lost"))
    }

    @Test("while its bytes keep arriving, a reply isn't late before twice the timeout, and then it is too slow")
    func required_8_07_arriving() {
      let start = Moment.now
      let limit = TimeLimit(limit: .seconds(5), arrival: .seconds(10))
      func deadline(_ limit: TimeLimit, _ first: Int, _ last: Int) -> (seconds: Double, isTooSlow: Bool) {
        let (time, isTooSlow) = limit.deadline(
          after: start, arriving: (start + .seconds(first), start + .seconds(last)))
        return (start.duration(to: time) / .seconds(1), isTooSlow)
      }
      #expect(limit.deadline(after: start, arriving: nil) == (start + .seconds(5), false))
      #expect(deadline(limit, 1, 1) == (6, false), "nothing more has arrived since")
      #expect(deadline(limit, 1, 4) == (9, false))
      #expect(deadline(limit, 1, 9) == (11, true))
      // Only where it matters that large replies arrive; but it is known that this one does.
      #expect(deadline(TimeLimit(limit: .seconds(5)), 1, 4) == (5, true))
      // The server may wait for entries before it replies.
      #expect(deadline(TimeLimit(limit: .seconds(10), named: .seconds(5), arrival: .seconds(10)), 1, 2) == (10, false))
    }

    @Test("a reply's time begins when the socket has taken the request, and grows by as much as that took, up to twice")
    func required_8_06_8_07_longSending() throws {
      var driven = try Driven(open: "a")
      driven.request("a")
      for (taken, time, end) in [(0, 0.0, 3.0), (500, 2, 7), (500, 3, 7), (1_000, 6, 12)] {
        driven.transmitted(taken, of: 1_000, at: time)
        #expect(driven.wait(at: time) == end)
      }
      driven.timeHasCome(11.9)
      #expect(driven.taken() == [])
      driven.timeHasCome(12)
      #expect(driven.taken().count == 1 && driven.late == "a")
    }

    @Test("a connection that a cancelled task opens isn't waited for")
    func required_8_07_cancelledBeforeOpening() async throws {
      let port = try SilentPort()
      let address = try #require(try SocketAddress.addresses(of: "127.0.0.1", port.number, isNumeric: true).first)
      let connection = try RedisConnection(
        try address.connectingSocket(), RedisEndpoint(port: port.number), by: .now + .seconds(600), on: RedisLoop())
      let task = Task {
        // Until the cancel.
        _ = try? await Task.sleep(for: .seconds(600))
        try await connection.open()
      }
      task.cancel()
      await #expect(throws: RedisError.Reason.self) { try await task.value }
      withExtendedLifetime(port) {}
    }
  }
#endif
