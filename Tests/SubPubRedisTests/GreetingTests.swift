#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8 What a new connection says first")
  struct GreetingTests {
    private func replies(_ text: String) throws -> [RedisReply] {
      let (replies, failure) = try #require(ReplyReader()).replies(completedBy: Array(text.utf8)[...])
      try #require(failure == nil)
      return replies
    }

    /// Returns what is said, word by word.
    private func words(_ greeting: Greeting) -> [String] {
      greeting.commands.map { command in
        var bytes: [UInt8] = []
        command.encode(to: &bytes)
        let words = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        return words.filter { !$0.hasPrefix("*") && !$0.hasPrefix("$") }.joined(separator: " ")
      }
    }

    private func error(_ greeting: Greeting, _ text: String) throws -> RedisError.Reason? {
      do { try greeting.check(try replies(text)) } catch let error as RedisError.Reason { return error }
      return nil
    }

    @Test("a connection logs in, has a name, chooses its database, and asks a server that was named for its role")
    func required_8_01_8_02_greeting() throws {
      var endpoint = RedisEndpoint(host: "cache", database: 3)
      endpoint.clientName = "prices"
      var greeting = Greeting(endpoint, login: (nil, "secret"), asksForRole: true)
      #expect(words(greeting) == ["AUTH secret", "CLIENT SETNAME prices", "SELECT 3", "ROLE"])
      let accepted = "+OK\r\n+OK\r\n+OK\r\n"
      #expect(try error(greeting, accepted + "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n") == nil)
      for role in ["*1\r\n$5\r\nslave\r\n", "*0\r\n", "+master\r\n"] {
        #expect(try error(greeting, accepted + role) == .unreachable("cache:6379/3 isn't the primary"))
      }
      #expect(try error(greeting, accepted + "-NOPERM no\r\n") == .refused("NOPERM no"))
      for index in 0..<3 {
        var texts = ["+OK\r\n", "+OK\r\n", "+OK\r\n", "*1\r\n+master\r\n"]
        texts[index] = "-ERR no\r\n"
        #expect(try error(greeting, texts.joined()) == .refused("ERR no"))
      }
      greeting = Greeting(endpoint, login: ("me", "secret"), asksForRole: false)
      #expect(words(greeting) == ["AUTH me secret", "CLIENT SETNAME prices", "SELECT 3"])
      #expect(words(Greeting(RedisEndpoint(), login: nil, asksForRole: false)).isEmpty)
    }

    @Test("a password that is refused ends the attempt only, if the next one asks for another")
    func required_8_04_outdatedCredentials() throws {
      var endpoint = RedisEndpoint(password: "secret")
      let refusal = "WRONGPASS invalid username-password pair"
      let fixed = Greeting(endpoint, login: (nil, "secret"), asksForRole: false)
      #expect(try error(fixed, "-\(refusal)\r\n") == .refused(refusal))
      endpoint.credentials = { (nil, "secret") }
      let asked = Greeting(endpoint, login: (nil, "secret"), asksForRole: false)
      #expect(try error(asked, "-\(refusal)\r\n") == .unreachable("the server refuses the credentials: \(refusal)"))
      #expect(try error(asked, "-NOAUTH no\r\n") == .refused("NOAUTH no"))
    }

    #if RedisTLS
      @Test("a server that is encrypted has to say something, and one that ends the connection may want a certificate")
      func required_8_07_certificate() throws {
        var endpoint = RedisEndpoint()
        endpoint.tls = RedisTLS()
        let greeting = Greeting(endpoint, login: nil, asksForRole: false)
        #expect(words(greeting) == ["PING"])
        #expect(try error(greeting, "+PONG\r\n") == nil)
        #expect(try error(greeting, "-NOPERM no\r\n") == nil)
        #expect(try error(greeting, "-DENIED no\r\n") == .refused("DENIED no"))
        let closed = RedisError.Reason.unreachable("closed")
        #expect(greeting.reason(closed, isClosed: true) != closed && greeting.reason(closed, isClosed: false) == closed)
        endpoint.tls?.certificate = "me.pem"
        let known = Greeting(endpoint, login: nil, asksForRole: false)
        #expect(known.reason(closed, isClosed: true) == closed)
      }
    #endif

    @Test("an outlet's connection asks what tells one start of the server from another, and may not be told")
    func required_8_08_start() throws {
      let greeting = Greeting(RedisEndpoint(), login: nil, asksForRole: false, asksForStart: true)
      #expect(words(greeting) == ["INFO server"])
      let info = "redis_version:7\r\nrun_id:ab\r\nport:0"
      #expect(greeting.start(in: try replies("$\(info.utf8.count)\r\n\(info)\r\n")) == "run_id:ab")
      #expect(try error(greeting, "-NOPERM no\r\n") == nil)
      #expect(greeting.start(in: try replies("-NOPERM no\r\n")) == nil)
    }
  }
#endif
