#if Redis
  import Testing

  @Suite("Each connection logs in, with a name and with credentials of that moment", .hangLimit)
  struct RedisLoginTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("a password that changes is asked for again")
    func changingPassword() async throws {
      try server.run("CONFIG", "SET", "requirepass", "one")
      let (password, asked) = (Locked("one"), Locked(0))
      var endpoint = server.endpoint()
      endpoint.credentials = {
        asked.withLock { $0 += 1 }
        return (nil, password.withLock { $0 })
      }
      let (outlet, mirror) = (outlet(endpoint), mirror(endpoint))
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        let before = asked.withLock { $0 }
        try server.run("-a", "one", "CONFIG", "SET", "requirepass", "two")
        try server.run("-a", "two", "CLIENT", "KILL", "TYPE", "normal")
        // The new password isn't known yet, and nobody gives up.
        try await until { mirror.reason.map { "\($0)".contains("WRONGPASS") } ?? false }
        password.withLock { $0 = "two" }
        try await publisher.publish(2, shownBy: mirror)
        #expect(asked.withLock { $0 } > before)
      }
    }

    @Test("credentials that can't be had, or take too long, are an error that says so")
    func noCredentials() async throws {
      struct Locker: Error, CustomStringConvertible { var description: String { "the vault is sealed" } }
      let isSealed = Locked(true)
      var endpoint = server.endpoint()
      try server.run("CONFIG", "SET", "requirepass", "one")
      endpoint.credentials = {
        if isSealed.withLock({ $0 }) { throw Locker() }
        return (nil, "one")
      }
      let mirror = mirror(endpoint)
      publisher.updateData(1)
      let run = try await started(mirror)
      try await until { mirror.reason == .unreachable("the credentials can't be had: the vault is sealed") }
      isSealed.withLock { $0 = false }
      try await running(outlet(endpoint)) { try await mirror.reach(1) }
      try await cancel(run)

      let gate = Gate()
      defer { gate.open() }
      endpoint.connectTimeout = .milliseconds(50)
      endpoint.credentials = {
        gate.pass()
        return (nil, "one")
      }
      let slow = self.mirror(endpoint)
      let slowRun = try await started(slow)
      try await until { slow.reason.map { "\($0)".contains("credentials take longer than 0.05") } ?? false }
      gate.open()
      try await cancel(slowRun)
    }

    @Test("a server that repeats what it doesn't understand doesn't bring the password into an error", arguments: 0...1)
    func required_8_05_repeatedPassword(moreReplies: Int) async throws {
      let server = try RawServer { client in
        if RawServer.receive(from: client).isEmpty { return }
        let text = "-ERR unknown command 'AUTH', with args beginning with: 'me' 'secret' \r\n"
        RawServer.send((text + String(repeating: "+OK\r\n", count: moreReplies)).utf8, to: client)
      }
      var endpoint = server.endpoint()
      endpoint.credentials = { ("me", "secret") }
      endpoint.clientName = "prices"
      let mirror = mirror(endpoint, retry: .never)
      #expect(await reason(of: Task { try await mirror.run() }) == .refused("ERR unknown command 'AUTH'"))
    }

    @Test("the server's list of clients has the name of each connection")
    func clientName() async throws {
      var endpoint = server.endpoint()
      endpoint.clientName = "prices:1"
      let mirror = mirror(endpoint)
      publisher.updateData(1)
      try await running(outlet(endpoint), mirror) {
        try await mirror.reach(1)
        // One of the outlet, and two of the reader.
        try await until {
          try server.run("CLIENT", "LIST").split(separator: "\n").count { $0.contains("name=prices:1 ") } == 3
        }
      }
    }

    @Test("a server that accepts and says nothing is given up after connectTimeout")
    func silentServer() async throws {
      let silent = try RawServer.silent()
      var endpoint = silent.endpoint(timeout: .seconds(60), connectTimeout: .milliseconds(100))
      endpoint.clientName = "prices"
      let mirror = mirror(endpoint)
      let run = try await started(mirror)
      try await until { mirror.reason != nil }
      #expect(mirror.reason == .unreachable("the server takes longer than 0.1 seconds to reply"))
      try await cancel(run)
    }

    @Test("credentials and the login together have as long as connectTimeout")
    func slowCredentials() async throws {
      // It takes longer than what is left when it is asked, and shorter than the whole time.
      let slow = try RawServer { client in
        while !RawServer.receive(from: client).isEmpty {
          usleep(1_300_000)
          RawServer.send("+OK\r\n".utf8, to: client)
        }
      }
      var endpoint = slow.endpoint(timeout: .seconds(60), connectTimeout: .milliseconds(1_500))
      endpoint.credentials = {
        try await Task.sleep(for: .seconds(1))
        return (nil, "secret")
      }
      let mirror = RedisMirror<Int>(key: "key", endpoint: endpoint, retry: .never)
      let reason = await reason(of: Task { try await mirror.run() })
      #expect(reason.map { "\($0)".contains("longer than 1.5 seconds") } ?? false, "\(String(describing: reason))")
    }
  }
#endif
