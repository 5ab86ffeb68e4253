#if Redis
  import SubPubRedis
  import Testing

  @Suite("8 What an outlet lets the server decide in one step", .hangLimit)
  struct OutletScriptTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    /// Runs a script, and returns the lines of the reply.
    @discardableResult
    private func run(
      _ script: OutletScript, _ keys: String..., arguments: [String] = [], as user: [String] = []
    ) throws -> [String] {
      let reply = try server.run(user + ["EVAL", script.source, "\(keys.count)"] + keys + arguments)
      return reply.split(separator: "\n").map(String.init)
    }

    @Test(
      "outlets that start at the same time have numbers of their own, each greater than all before",
      arguments: ["1", "0", "9999999999999", "18446744073709551000", "12 ended"])
    func required_8_02_sameTime(counter: String) throws {
      try server.run("SET", "key:epoch", counter)
      try server.add(["9999999999998-1", "phase", "unknown"])
      let numbers = try (0..<300).map { _ in
        try #require(UInt64(run(.takeOver, "key:epoch", "key", arguments: ["1"])[1]))
      }
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
      #expect(numbers[0] > max(9_999_999_999_998, UInt64(counter) ?? 0))
    }

    @Test("what an outlet has sent arrives too late from the moment on in which another one takes the key over")
    func required_8_02_8_08_fence() throws {
      try server.addEntries(epoch: 1_000, versions: 1...1)
      let reply = try run(.takeOver, "key:epoch", "key", arguments: ["1"])
      // The one before may still be sure, and there is its last entry.
      #expect(reply.count > 3 && reply[2...3] == ["1", "1000-1"])
      let refusal = try server.run("XADD", "key", "1000-2", "phase", "unknown")
      #expect(refusal.hasPrefix("ERR The ID specified in XADD is equal or smaller"))
    }

    @Test("an outlet that compares hears of its own entries only, however many another one has written")
    func required_8_06_8_07_comparison() throws {
      try server.addEntries(epoch: 5, versions: 1...3)
      try server.addEntries(epoch: 9, versions: 1...200)
      let reply = try run(.settle, "key:epoch", "key", arguments: ["5", "5-2", ""])
      #expect(reply.suffix(2) == ["5-2", "5-3"] && reply.count { $0.hasPrefix("9-") } == 1)
    }

    @Test("an outlet that has taken the lease, and lost the reply, doesn't wait for itself, and others wait for it")
    func required_8_09_8_02_lostReply() throws {
      let keys = ["key:epoch", "key", "key:lease"]
      for (holder, purpose, result) in [
        ("me", "first", "1"), ("me", "ended", "1"), ("other", "always", "0"), ("me", "always", "1"),
      ] {
        let reply = try run(.takeOver, keys[0], keys[1], keys[2], arguments: ["1", holder, "60000", purpose])
        #expect(reply.first == result, "\(holder) \(purpose): \(reply)")
      }
      #expect(try server.run("GET", "key:lease") == "me")
    }

    @Test("an outlet that knows of another one's lease waits for that one, also if the server has lost its number")
    func required_8_09_8_08_lostNumber() throws {
      for (purpose, mayRun) in [("first", "0"), ("always", "1")] {
        try server.run("FLUSHALL")
        let reply = try run(.takeOver, "key:epoch", "key", "key:lease", arguments: ["1", "me", "60000", purpose])
        #expect(reply.count > 2 && reply[2] == mayRun, "\(purpose): \(reply)")
      }
    }

    @Test("an outlet whose number and lease are lost is known by its stream")
    func required_8_09_lostNumberAndLease() throws {
      for (hasEntries, result) in [(false, "1"), (true, "0")] {
        try server.run("FLUSHALL")
        if hasEntries { try server.addEntries(epoch: 5, versions: 1...1) }
        try server.run("DEL", "key:epoch")
        let reply = try run(.takeOver, "key:epoch", "key", "key:lease", arguments: ["1", "me", "60000", "first"])
        #expect(reply.first == result)
      }
    }

    @Test("an outlet that was superseded doesn't take a lease that the server has lost")
    func required_8_09_8_08_lostLeaseOfASuperseded() throws {
      // Beside its own number, another one's lease is an older copy.
      let cases = [
        ("8", "", "0"), ("7", "", "1"), ("", "", "1"), ("8", "me", "1"), ("7", "other", "1"), ("8", "other", "0"),
        ("6", "other", "0"), ("", "other", "0"),
      ]
      for (number, lease, result) in cases {
        try server.run("DEL", "key:epoch", "key:lease")
        if !number.isEmpty { try server.run("SET", "key:epoch", number) }
        if !lease.isEmpty { try server.run("SET", "key:lease", lease) }
        let reply = try run(.renew, "key:epoch", "key:lease", arguments: ["me", "60000", "7"])
        #expect(reply == [result], "\(number) \(lease)")
      }
    }

    @Test("an entry whose id the stream remembers is added again, unless the user may not let the stream forget it")
    func required_8_08_impossible() throws {
      try server.addEntries(epoch: 5, versions: 1...1)
      try server.run("XDEL", "key", "5-1")
      try server.addUser("publisher", "+eval +get +set +time +xadd +xrange +xrevrange")
      let publisher = ["--no-auth-warning", "--user", "publisher", "--pass", "secret"]
      for (user, result) in [(publisher, "2"), ([], "1"), ([], "0")] {
        let arguments = ["5", "", "5-0", "MAXLEN", "=", "10", "5-1", "phase", "unknown"]
        #expect(try run(.restore, "key:epoch", "key", arguments: arguments, as: user) == [result])
      }
    }
  }
#endif
