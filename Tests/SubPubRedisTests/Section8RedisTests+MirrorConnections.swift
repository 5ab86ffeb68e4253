#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  extension Section8MirrorTests {
    @Test("a server that closes idle connections loses no mirror")
    func required_8_04_idle() async throws {
      let server = try await RedisServer("--timeout", "1")
      let mirror = mirror(server.endpoint(timeout: .seconds(4)))
      let recorder = recorder(of: mirror)
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror.run) {
        try await mirror.publisher.reach(1)
        try await until { try server.calls(of: "type") > 0 || mirror.statistics.reconnects > 0 }
        try server.addEntries(epoch: 1, versions: 2...2)
        try await mirror.publisher.reach(2)
      }
      #expect(mirror.statistics.reconnects == 0)
      #expect(recorder.states.allSatisfy { $0.phase != .error })
    }

    @Test("a server that becomes a replica loses no mirror")
    func required_8_04_replica() async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      let recorder = recorder(of: mirror)
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror.run) {
        try await mirror.publisher.reach(1)
        try await until { try server.run("CLIENT", "LIST").contains("cmd=xread") }
        try server.run("REPLICAOF", "127.0.0.1", "1")
        try server.run("REPLICAOF", "NO", "ONE")
        try server.addEntries(epoch: 1, versions: 2...2)
        try await mirror.publisher.reach(2)
      }
      #expect(mirror.statistics.reconnects == 0)
      #expect(recorder.states.allSatisfy { $0.phase != .error })
    }

    @Test(
      "bytes that are damaged on the way are a lost connection",
      arguments: [
        (true, "phase", "phas\r\n$"), (true, "*1", "?1"), (false, "XREAD", "XRFAD"), (false, "*", "*x"),
        (false, "BLOCK", "BLQCK"), (false, "CLIENT", "CLIENQ"), (false, "XREVRANGE", "XREVRANGF"),
      ])
    func required_8_04_damagedBytes(isReply: Bool, text: String, damaged: String) async throws {
      let server = try await RedisServer()
      let rest = Locked(0)
      let proxy = try ScriptedProxy(server) { piece in
        guard piece.isReply == isReply, piece.contains(text) else { return .passes(piece.bytes) }
        let isDamaged = rest.withLock { rest in
          defer { rest -= 1 }
          return rest > 0
        }
        return isDamaged ? piece.replacing(text, by: damaged) : .passes(piece.bytes)
      }
      let mirror = mirror(proxy.endpoint(timeout: .seconds(1)))
      let recorder = recorder(of: mirror)
      try server.addEntries(epoch: 1, versions: 1...1)
      try await running(mirror.run) {
        try await mirror.publisher.reach(1)
        rest.withLock { $0 = 1 }
        if !isReply { server.kill() }
        if !isReply { try await server.start() }
        try server.addEntries(epoch: 1, versions: 2...2)
        try await recorder.wait(within: .seconds(TestLimit.seconds)) { $0.phase == .error }
        try await mirror.publisher.reach(2)
      }
      #expect(rest.withLock { $0 } < 1)
      #expect(mirror.statistics.skipped == 0)
    }

    @Test("an error keeps its type and its text through a chain of processes")
    func required_8_01_chain() async throws {
      let server = try await RedisServer()
      let source = Publisher<Int>()
      let (first, second) = (mirror(server.endpoint(), key: "first"), mirror(server.endpoint(), key: "second"))
      try await running(RedisOutlet(source, key: "first", endpoint: server.endpoint()).run) {
        try await running(first.run) {
          try await running(RedisOutlet(first.publisher, key: "second", endpoint: server.endpoint()).run) {
            try await running(second.run) {
              source.setError(Offline(code: 3))
              try await second.publisher.reach { $0.error is RemoteError }
              #expect(
                second.publisher.state.error as? RemoteError
                  == RemoteError(type: String(reflecting: Offline.self), message: "Offline(code: 3)"))
            }
          }
        }
      }
    }

    @Test("programs that a process starts don't inherit its connections, which end with it")
    func required_8_01_notInherited() async {
      await #expect(processExitsWith: .success) {
        let server = try await RedisServer()
        // The descriptors that a program would inherit.
        let inherited = { Set((3..<1_024 as Range<Int32>).filter { fcntl($0, F_GETFD) == 0 }) }
        let before = inherited()
        let publisher = Publisher<Int>()
        let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint())
        try await running(RedisOutlet(publisher, key: "key", endpoint: server.endpoint()).run) {
          try await running(mirror.run) {
            publisher.updateData(1)
            try await mirror.publisher.reach(1)
            // While a connection is being made, it still is one of them.
            try await until { inherited().isSubset(of: before) }
          }
        }
      }
    }
  }
#endif
