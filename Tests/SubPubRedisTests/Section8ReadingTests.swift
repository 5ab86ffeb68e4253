#if Redis
  import Testing

  @Suite("8 Across processes: the connections that read", .hangLimit)
  struct Section8ReadingTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("a mirror that is added reads at once behind an address that leads each connection to another server")
    func required_8_10_balancedAddress() async throws {
      let servers = [server, try await RedisServer()]
      let count = Locked(0)
      let address = try RawServer { client in
        let index = count.withLock { count in
          defer { count += 1 }
          return count
        }
        Pipe.join(client, servers[index % 2].socket)
      }
      // Nobody looks at the streams, and the wait for the first one is still under way in the end.
      let endpoint = address.endpoint(timeout: .seconds(3_600), connectTimeout: .seconds(60))
      let (first, second) = (mirror(endpoint), mirror(endpoint, key: "other"))
      for server in servers { try server.addEntries(epoch: 1, versions: 1...1) }
      try await running(first) {
        try await first.reach(1)
        try await server.waitForClients("cmd=xread")
        try await running(second) {
          try await second.reach { $0 == .unknown }
          for server in servers { try server.addEntries(epoch: 1, versions: 1...1, key: "other") }
          try await second.reach(1)
          try await until { try servers.map { try $0.readerCount }.reduce(0, +) == 2 }
        }
      }
      for server in servers { #expect(try server.calls(of: "client|unblock") == 0) }
    }

    @Test("a state that takes longer than a reply may is skipped, and the mirror goes on at the newest")
    func required_8_07_8_03_slowState() async throws {
      let link = try Proxy(server) { piece in
        // A hundred kilobytes a second.
        piece.isReply && piece.bytes.count > 10_000 ? .trickles(everyMilliseconds: 10, by: 1_000) : .passes(piece.bytes)
      }
      let mirror = mirror(link.endpoint(timeout: .milliseconds(200)))
      let recorder = mirror.record()
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror) {
        try await mirror.reach(1)
        try await server.waitForClients("cmd=xread")
        let add = "redis.call('XADD', 'key', '1-' .. i, 'phase', 'loaded', 'value', i, 'more', string.rep('x', size))"
        try server.run("EVAL", "for i = 2, 4 do local size = i == 2 and 500000 or 0; \(add) end", "0")
        try await mirror.reach(4)
        try server.addEntries(epoch: 1, versions: 5...5)
        try await mirror.reach(5)
      }
      try await mirror.publisher.drain(within: .seconds(3_600))
      #expect(mirror.statistics.skipped == 2)
      #expect(recorder.loaded.withoutRepeats == [1, 4, 5])
      #expect(recorder.states.contains { $0.phase == .error && $0.value == 1 })
    }
  }

  private enum Pipe {
    /// Copies between a client and a server until one of them ends the connection.
    static func join(_ client: Int32, _ path: String) {
      guard let server = RawServer.connection(to: path) else { return }
      let replies = DispatchGroup()
      replies.enter()
      Thread.detachNewThread {
        copy(from: server, to: client)
        replies.leave()
      }
      copy(from: client, to: server)
      replies.wait()
      close(server)
    }

    private static func copy(from source: Int32, to target: Int32) {
      while true {
        let bytes = RawServer.receive(from: source)
        guard !bytes.isEmpty, RawServer.send(bytes, to: target) else { break }
      }
      for each in [source, target] { _ = shutdown(each, Int32(SHUT_RDWR)) }
    }
  }
#endif
