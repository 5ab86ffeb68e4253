#if RedisTLS
  import Testing

  @Suite("Connections are encrypted, and the server is who it says", .hangLimit)
  struct RedisTLSTests: RedisSuite {
    let fixture: RedisFixture
    let certificates: Certificates

    init() async throws {
      fixture = try await RedisFixture()
      certificates = try Certificates()
    }

    /// Starts a server with a certificate, and returns its endpoint.
    private func serve(
      _ certificate: String = "server", host: String = "localhost", clients: String = "no",
      trusting authority: String? = "ours"
    ) async throws -> (RedisServer, RedisEndpoint) {
      let port = try RedisServer.freePort()
      let server = try await RedisServer(
        "--tls-port", "\(port)", "--bind", "127.0.0.1", "--tls-cert-file", certificates.file(certificate),
        "--tls-key-file", certificates.key(certificate), "--tls-ca-cert-file", certificates.file("ours"),
        "--tls-auth-clients", clients)
      var endpoint = RedisEndpoint(host: host, port: port)
      endpoint.tls = RedisTLS(authorities: authority.map(certificates.file))
      return (server, endpoint)
    }

    /// Expects that a mirror can't connect, for that reason.
    private func expectFailure(_ endpoint: RedisEndpoint, _ part: String) async throws {
      let mirror = mirror(endpoint)
      let run = try await started(mirror)
      try await until { mirror.reason != nil }
      #expect(mirror.reason.map { "\($0)".contains(part) } == true, "\(mirror.reason.map { "\($0)" } ?? "")")
      try await cancel(run)
    }

    @Test("states arrive over an encrypted connection, in any number and size", arguments: ["localhost", "127.0.0.1"])
    func states(host: String) async throws {
      let (server, endpoint) = try await serve(host: host)
      let texts = Publisher<String>()
      let made = RedisOutlet(texts, key: "key", endpoint: endpoint)
      let mirror = mirror(endpoint, of: String.self)
      try await running(made, mirror) {
        for number in 1...1_000 { texts.updateData("\(number)") }
        try await mirror.reach("1000")
        // More than one record, and more than the kernel takes at once.
        let large = String(repeating: "large ", count: 500_000)
        try await texts.publish(large, shownBy: mirror)
        try await texts.publish("small", shownBy: mirror)
      }
      #expect(mirror.statistics.skipped == 0)
      withExtendedLifetime(server) {}
    }

    @Test("after the server was killed, the next connection is encrypted, too")
    func reconnects() async throws {
      let (server, endpoint) = try await serve()
      let mirror = mirror(endpoint)
      publisher.updateData(1)
      try await running(outlet(endpoint), mirror) {
        try await mirror.reach(1)
        server.kill()
        try await until { mirror.reason != nil }
        try await server.start()
        try await publisher.publish(2, shownBy: mirror)
      }
    }

    @Test("a wrong host name, an expired certificate, and a foreign authority are refused")
    func verification() async throws {
      let (server, endpoint) = try await serve("elsewhere")
      try await expectFailure(endpoint, "the server's certificate isn't accepted: hostname mismatch")
      var named = endpoint
      named.tls?.serverName = "elsewhere.example"
      publisher.updateData(1)
      let mirror = mirror(named)
      try await running(outlet(named), mirror) { try await mirror.reach(1) }

      let (late, expired) = try await serve("expired")
      try await expectFailure(expired, "the server's certificate isn't accepted: certificate has expired")
      let (honest, foreign) = try await serve(trusting: "foreign")
      try await expectFailure(foreign, "the server's certificate isn't accepted: ")
      let (unknown, system) = try await serve(trusting: nil)
      try await expectFailure(system, "the server's certificate isn't accepted: ")
      var careless = system
      careless.tls?.verifiesServer = false
      let other = self.mirror(careless)
      try await running(outlet(careless), other) { try await other.reach(1) }
      for server in [server, late, honest, unknown] { withExtendedLifetime(server) {} }
    }

    @Test("a password goes to a server that a sentinel names only if its certificate has a name of the user's own")
    func required_8_01_nameOfAPrimary() async throws {
      let (server, direct) = try await serve()
      try server.run("CONFIG", "SET", "requirepass", "secret")
      let port = try #require(Int("\(direct)".split { $0 == ":" || $0 == "/" }[1]))
      // The server has a certificate for that name, as one of somebody who changes the answers would have.
      let sentinel = try NamingSentinel(port, host: "localhost")
      var endpoint = try RedisEndpoint(url: "redis+sentinel://:secret@\(sentinel.address)")
      endpoint.tls = RedisTLS(authorities: certificates.file("ours"))
      let mirror = mirror(endpoint)
      let run = try await started(mirror)
      try await until { mirror.reason != nil || mirror.health.isConnected }
      #expect(mirror.reason.map { "\($0)".contains("set tls.serverName") } == true)
      try await cancel(run)
      endpoint.tls?.serverName = "elsewhere.example"
      try await expectFailure(endpoint, "the server's certificate isn't accepted: hostname mismatch")
      #expect(try server.run("-a", "secret", "INFO", "commandstats").contains("cmdstat_auth:calls=1,"), "only this one")
      endpoint.tls?.serverName = "localhost"
      publisher.updateData(1)
      let known = self.mirror(endpoint)
      try await running(outlet(endpoint), known) { try await known.reach(1) }
    }

    @Test("a server without encryption, and one that says nothing more, are errors that say so")
    func plainServer() async throws {
      let port = try RedisServer.freePort()
      let server = try await RedisServer("--port", "\(port)", "--bind", "127.0.0.1")
      var endpoint = RedisEndpoint(host: "localhost", port: port)
      endpoint.tls = RedisTLS(authorities: certificates.file("ours"))
      endpoint.connectTimeout = .milliseconds(300)
      // It waits for the end of a line.
      try await expectFailure(endpoint, "0.3 seconds to agree on encryption: it may not speak TLS")
      endpoint = RedisEndpoint(host: "localhost", port: port)
      endpoint.tls = RedisTLS(authorities: certificates.file("nothing"))
      try await expectFailure(
        endpoint, "TLS can't be used: the authorities in \(certificates.file("nothing")) can't be read: No such file")
      withExtendedLifetime(server) {}
    }

    @Test("a server that wants a certificate gets one, and refuses who has none")
    func clientCertificates() async throws {
      let (server, endpoint) = try await serve(clients: "yes")
      try await expectFailure(endpoint, "certificate")
      var known = endpoint
      // The file of the second one has the certificate of its authority, too.
      for (number, name) in ["client", "colleague"].enumerated() {
        known.tls?.certificate = certificates.file(name)
        known.tls?.privateKey = certificates.key(name)
        publisher.updateData(number)
        let mirror = mirror(known)
        try await running(outlet(known), mirror) { try await mirror.reach(number) }
      }
      known.tls?.privateKey = certificates.key("server")
      try await expectFailure(known, "TLS can't be used: the private key in \(certificates.key("server"))")
      withExtendedLifetime(server) {}
    }

    @Test("a server that refuses whoever comes from elsewhere says so", .enabled(if: RedisServer.outerAddress != nil))
    func protectedMode() async throws {
      let (port, address) = (try RedisServer.freePort(), try #require(RedisServer.outerAddress))
      let server = try await RedisServer(
        "--tls-port", "\(port)", "--bind", address, "--tls-cert-file", certificates.file("server"),
        "--tls-key-file", certificates.key("server"), "--tls-ca-cert-file", certificates.file("ours"),
        "--tls-auth-clients", "no", "--protected-mode", "yes")
      var endpoint = RedisEndpoint(host: address, port: port)
      endpoint.tls = RedisTLS(authorities: certificates.file("ours"))
      endpoint.tls?.serverName = "localhost"
      endpoint.replyTimeout = .seconds(1)
      try await expectFailure(endpoint, "DENIED Redis is running in protected mode")
      publisher.updateData(1)
      let run = Task { [outlet = outlet(endpoint)] in try await outlet.run() }
      try await until { failures.withLock { $0.last?.reason.refusal?.hasPrefix("DENIED ") ?? false } }
      run.cancel()
      _ = await run.result
      withExtendedLifetime(server) {}
    }
  }
#endif
