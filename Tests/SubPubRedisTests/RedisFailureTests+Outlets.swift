#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  extension RedisFailureTests {
    @Test("a server without memory, or a read-only one, delays the outlet, and no more")
    func refusesForNow() async throws {
      let server = try await RedisServer()
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      try await running(outlet.run) {
        try await running(mirror.run) {
          publisher.updateData(1)
          try await mirror.publisher.reach(1)
          for (number, (begin, end)) in [
            (["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "SET", "maxmemory", "0"]),
            (["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"]),
          ].enumerated() {
            let reconnects = outlet.statistics.reconnects
            #expect(try server.run(begin) == "OK")
            publisher.updateData(number * 10 + 2)
            try await until { outlet.statistics.reconnects >= reconnects + 3 }
            #expect(mirror.publisher.state.value != number * 10 + 2)
            publisher.updateData(number * 10 + 3)
            #expect(try server.run(end) == "OK")
            try await mirror.publisher.reach(number * 10 + 3)
          }
        }
      }
    }

    @Test(
      "an outlet whose server goes on refusing to write ends with an error after the timeout",
      arguments: [
        (["CONFIG", "SET", "maxmemory", "1"], "OOM "), (["REPLICAOF", "127.0.0.1", "1"], "READONLY "),
      ])
    func goesOnRefusing(command: [String], message: String) async throws {
      let server = try await RedisServer()
      #expect(try server.run(command) == "OK")
      // When it starts, and after it has written.
      for isWriting in [false, true] {
        let (clock, attempts) = (ManualClock(), Locked(0))
        let outlet = RedisOutlet(
          publisher, key: "key", endpoint: server.endpoint(timeout: .seconds(5)), retry: .quick, clock: clock
        ) { _ in attempts.withLock { $0 += 1 } }
        if isWriting {
          try server.run(message == "OOM " ? ["CONFIG", "SET", "maxmemory", "0"] : ["REPLICAOF", "NO", "ONE"])
        }
        let run = Task { try await outlet.run() }
        if isWriting {
          try await until { outlet.statistics.entries == 1 }
          try server.run(command)
          publisher.updateData(1)
        }
        // A refused write is tried again at once.
        try await until { attempts.withLock { $0 } == (isWriting ? 2 : 1) }
        for _ in 1...3 {
          try await clock.waitForSleepers(1)
          clock.advance(by: .seconds(2))
        }
        let error = await #expect(throws: RedisError.self) { try await run.value }
        guard case .refused(let refusal) = error?.reason else {
          Issue.record("\(error.debugDescription)")
          return
        }
        #expect(refusal.hasPrefix(message))
        #expect(attempts.withLock { $0 } == (isWriting ? 4 : 3))
      }
    }

    @Test("a counter that isn't a number, and an entry after which none is possible, are clear errors")
    func noNumberLeft() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint(timeout: .milliseconds(50)))
      try server.run("SET", "key:epoch", "text")
      var error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(error?.reason == .refused("key:epoch isn't the number of an outlet: delete it"))
      #expect(try server.run("GET", "key:epoch") == "text")
      try server.run("DEL", "key:epoch")
      try server.add(["\(UInt64.max)-1", "phase", "unknown"])
      error = await #expect(throws: RedisError.self) { try await outlet.run() }
      #expect(error?.reason == .refused("there is no greater number for an outlet: delete the key"))
    }

    @Test("an outlet whose last entry somebody deletes writes it again, and goes on with the next")
    func required_8_01_deletedEntry() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let outlet = outlet(proxy.endpoint())
      publisher.updateData(1)
      try await running(outlet.run) {
        try await until { outlet.statistics.lastVersion == 1 }
        try server.run("XDEL", "key", try #require(outlet.statistics.lastEntry))
        proxy.cut()
        try await until { outlet.statistics.reconnects == 1 }
        publisher.updateData(2)
        try await until { outlet.statistics.lastVersion == 2 }
        #expect(outlet.statistics.reconnects == 1)
        #expect(try server.run("XLEN", "key") == "2")
      }
    }

    @Test("an outlet whose successor's entries somebody deletes ends")
    func required_8_02_deletedSuccessor() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      publisher.updateData(1)
      let running = Task { try await outlet.run() }
      try await until { outlet.statistics.lastVersion == 1 }
      let entry = "\(RedisServer.lateOutlet)-0"
      try server.add([entry, "phase", "unknown"])
      try server.run("XDEL", "key", entry)
      publisher.updateData(2)
      await #expect(throws: RedisSuperseded.self) { try await running.value }
    }

    @Test("an entry of 64 MB is an error, and the next one is read")
    func hugeEntry() async throws {
      let server = try await RedisServer()
      let mirror = mirror(server.endpoint())
      try await running(mirror.run) {
        try await mirror.publisher.reach { $0 == .unknown }
        let file = server.folder.appending(path: "huge")
        try Data(repeating: UInt8(ascii: "7"), count: 64 << 20).write(to: file)
        #expect(try server.run(["-x", "XADD", "key", "1-1", "phase", "loaded", "value"], input: file) == "1-1")
        try await mirror.publisher.reach { $0.phase == .error }
        #expect(
          "\(try #require(mirror.publisher.state.error))".hasSuffix(
            "entry 1-1 isn't a state of the expected type: the value has 67108864 bytes, and the limit is 16777216"))
        try server.run("XADD", "key", "1-2", "phase", "loaded", "value", "7")
        try await mirror.publisher.reach(7)
      }
    }

    @Test("a state that can't be encoded, or is too large, is written as an error")
    func unencodable() async throws {
      let server = try await RedisServer()
      let texts = Publisher<[Double]>()
      let outlet = RedisOutlet(texts, key: "key", endpoint: server.endpoint(), coder: .json(maxBytes: 100))
      let mirror = RedisMirror<[Double]>(key: "key", endpoint: server.endpoint())
      try await running(outlet.run) {
        try await running(mirror.run) {
          texts.updateData([.nan])
          try await mirror.publisher.reach { ($0.error as? RemoteError)?.message.contains("can't be encoded") ?? false }
          texts.updateData([Double](repeating: 1, count: 100))
          try await mirror.publisher.reach {
            ($0.error as? RemoteError)?.message.contains("has 201 bytes, and the limit is 100") ?? false
          }
          texts.updateData([1])
          try await mirror.publisher.reach([1])
        }
      }
      #expect(outlet.statistics.undecodable == 2)
    }

    @Test("an outlet that is cancelled writes what was accepted before")
    func cancelledOutlet() async throws {
      let server = try await RedisServer()
      let outlet = outlet(server.endpoint())
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      for number in 1...5_000 { publisher.updateData(number) }
      run.cancel()
      try await run.value
      #expect(outlet.statistics.lastVersion == 5000)
      #expect(try server.run("XLEN", "key") == "5001")
    }

    @Test("an outlet that is cancelled without a server says how much it couldn't write, after the timeout")
    func cancelledOutletWithoutServer() async throws {
      let server = try await RedisServer()
      let clock = ManualClock()
      let outlet = RedisOutlet(publisher, key: "key", endpoint: server.endpoint(), clock: clock)
      let run = Task { try await outlet.run() }
      try await until { outlet.statistics.entries == 1 }
      server.kill()
      for number in 1...10 { publisher.updateData(number) }
      try await until { clock.sleepers == 1 }
      run.cancel()
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(5))
      let error = await #expect(throws: RedisError.self) { try await run.value }
      #expect(error?.reason == .unwritten(10))
      run.cancel()
    }

    @Test("a run of a task that was cancelled before does nothing")
    func cancelledBefore() async throws {
      let server = try await RedisServer()
      let (outlet, mirror) = (outlet(server.endpoint()), mirror(server.endpoint()))
      let run = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await outlet.run()
        try await mirror.run()
      }
      try await run.value
      #expect(try server.run("EXISTS", "key", "key:epoch") == "0")
    }

    @Test("a mirror that runs can't run again")
    func runsTwice() async {
      await #expect(processExitsWith: .failure) {
        let mirror = RedisMirror<Int>(key: "key", endpoint: RedisEndpoint(unixSocket: "/no/such/socket"))
        async let first: Void = mirror.run()
        async let second: Void = mirror.run()
        _ = try await (first, second)
      }
    }
  }
#endif
