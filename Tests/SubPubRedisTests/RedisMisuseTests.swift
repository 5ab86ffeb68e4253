#if Redis
  import Testing

  @Suite("What can't be meant stops the program", .hangLimit)
  struct RedisMisuseTests {
    @Test("the message says why", arguments: misuses.keys.sorted())
    func misuse(message: String) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [message] in
        try await RedisMisuseTests.misuses[message]?()
      }
      let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(printed.contains(message))
    }

    #if RedisTLS
      @Test("a path or a name of the encryption with a NUL, at which it would be cut off, stops the program")
      func cutOff() async {
        await #expect(processExitsWith: .failure) { _ = RedisTLS(authorities: "ca.pem\0") }
        await #expect(processExitsWith: .failure) { _ = RedisTLS(certificate: "me.pem\0") }
        await #expect(processExitsWith: .failure) { _ = RedisTLS(privateKey: "me.key\0") }
        await #expect(processExitsWith: .failure) {
          var settings = RedisTLS()
          settings.serverName = "cache\0.example"
        }
      }
    #endif

    static let misuses: [String: @Sendable () async throws -> Void] = [
      "is called while it runs": {
        let mirror = RedisMirror<Int>(key: "key", endpoint: RedisEndpoint(unixSocket: "/no/such/socket"))
        async let first: Void = mirror.run()
        async let second: Void = mirror.run()
        _ = try await (first, second)
      },
      "port is 0": { _ = RedisEndpoint(port: 0) },
      "the server's address is \"\"": { _ = RedisEndpoint(host: "") },
      "the server's address is \"a\\0b\"": { _ = RedisEndpoint(host: "a\u{0}b") },
      "clientName is \"a b\"": {
        var endpoint = RedisEndpoint()
        endpoint.clientName = "a b"
      },
      "database is -1": { _ = RedisEndpoint(database: -1) },
      "timeout is 0.0 seconds": { _ = RedisEndpoint(timeout: .zero) },
      "there is a username, but no password": { _ = RedisEndpoint(username: "me") },
      "maxBytes is 0": { _ = RedisCoder<Int>.json(maxBytes: 0) },
      "maxLength is 0": { _ = RedisOutlet(Publisher<Int>(), key: "key", endpoint: RedisEndpoint(), maxLength: 0) },
    ]
  }
#endif
