#if Redis
  import Foundation
  import SubPub
  import SubPubRedis
  import SubPubTesting
  import Support
  import Testing

  @Suite("8.08 An outlet that was superseded never writes again", .timeLimit(.minutes(2)))
  struct OutletSupersessionTests {
    // The publishers of two processes.
    let former = Publisher<Int>(label: "former")
    private let latter = Publisher<Int>(label: "latter")

    func outlet(
      _ publisher: Publisher<Int>, _ endpoint: RedisEndpoint, coder: RedisCoder<Int> = .json()
    ) -> RedisOutlet<Int> {
      RedisOutlet(publisher, key: "key", endpoint: endpoint, coder: coder, retry: .quick)
    }

    /// How the server loses what the second outlet has told it.
    enum Loss: CaseIterable {
      case deletes, expires, flushes, olderCounter, olderStream

      func lose(_ server: RedisServer) throws {
        switch self {
        case .deletes: try server.run("DEL", "key", "key:epoch")
        case .expires:
          try server.run("PEXPIRE", "key:epoch", "1")
          try server.run("PEXPIRE", "key", "1")
        case .flushes: try server.run("FLUSHALL")
        case .olderCounter:
          try server.run("SET", "key:epoch", "5")
          try server.run("DEL", "key")
        case .olderStream:
          try server.run("DEL", "key:epoch")
          try server.run("RENAME", "older", "key")
        }
      }
    }

    /// Waits for longer than an outlet without contact is sure.
    private func outlast() async throws { try await Task.sleep(for: .milliseconds(3_500)) }

    /// Expects that a running outlet is superseded, and that none of its states after the first is written.
    private func expectEnd(
      of run: Task<Void, any Error>, _ formerNumber: Int?, _ second: RedisOutlet<Int>, _ server: RedisServer
    ) async throws {
      await #expect(throws: RedisSuperseded.self) { try await run.value }
      let (entry, number) = (try #require(second.statistics.lastEntry), try #require(formerNumber))
      try await until { try server.lastEntry == entry }
      latter.updateData(100)
      try await until { try server.lastEntry == second.statistics.lastEntry && second.statistics.lastEntry != entry }
      #expect(try server.run("XRANGE", "key", "\(number)-1", "\(number)-18446744073709551615").isEmpty)
      #expect(try server.run("GET", "key:epoch") == "\(try #require(second.statistics.lastOutlet))")
    }

    @Test(
      "whatever the server loses after another outlet has taken over, the former writes nothing",
      arguments: Loss.allCases,
      [false, true])
    func required_8_08_lossAfterTakeOver(loss: Loss, isLate: Bool) async throws {
      let server = try await RedisServer()
      let (first, second) = (outlet(former, server.endpoint()), outlet(latter, server.endpoint()))
      let mirror = RedisMirror<Int>(key: "key", endpoint: server.endpoint(), retry: .quick)
      let recorder = Recorder<Int>()
      mirror.publisher.subscribe(recorder, on: .background)
      former.updateData(0)
      latter.updateData(1_000_000)
      let ended = Locked(false)
      let run = Task {
        defer { ended.withLock { $0 = true } }
        try await first.run()
      }
      try await running(mirror.run) {
        try await mirror.publisher.reach(0)
        try server.run("COPY", "key", "older")
        let number = try server.run("GET", "key:epoch")
        try await running(second.run) {
          try await until { try server.run("GET", "key:epoch") != number }
          if isLate { try await mirror.publisher.reach(1_000_000) }
          try loss.lose(server)
          // The former outlet goes on until it knows.
          try await until {
            former.updateData(Int(former.current.version))
            return ended.withLock { $0 }
          }
          await #expect(throws: RedisSuperseded.self) { try await run.value }
          latter.updateData(1_000_001)
          try await mirror.publisher.reach(1_000_001)
          // Until the other one writes, the former outlet is the living one.
          if isLate { #expect(try server.run("XRANGE", "key", "\(number)-2", number).isEmpty) }
        }
      }
      let values = recorder.states.compactMap(\.value)
      #expect(values == values.sorted())
    }

    @Test("an outlet that was cut off writes nothing when the server has lost everything", arguments: Loss.allCases)
    func required_8_08_cutOff(loss: Loss) async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let (first, second) = (outlet(former, proxy.endpoint()), outlet(latter, server.endpoint()))
      let run = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      try server.run("COPY", "key", "older")
      proxy.mode = .stalls
      // It may be on its way already, and arrive when the key is gone. A stream from before would take it.
      if loss != .olderStream { former.updateData(1) }
      try await running(second.run) {
        try await until { second.statistics.entries == 1 }
        try loss.lose(server)
        former.updateData(2)
        proxy.mode = .passes
        try await expectEnd(of: run, first.statistics.lastOutlet, second, server)
      }
    }

    @Test("an outlet that was paused while it had something to write writes nothing", arguments: Loss.allCases)
    func required_8_08_paused(loss: Loss) async throws {
      let server = try await RedisServer()
      let gate = Gate()
      let coder = RedisCoder<Int> { number in
        if number == 1 { gate.pass() }
        return Array("\(number)".utf8)
      } decode: { _ in
        0
      }
      let (first, second) = (outlet(former, server.endpoint(), coder: coder), outlet(latter, server.endpoint()))
      let run = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      try server.run("COPY", "key", "older")
      former.updateData(1)
      try await gate.waitUntilHeld()
      try await running(second.run) {
        try await until { second.statistics.entries == 1 }
        try loss.lose(server)
        gate.open()
        try await expectEnd(of: run, first.statistics.lastOutlet, second, server)
      }
    }

    @Test("an outlet that was cut off writes nothing when the server comes back with older data")
    func required_8_08_olderData() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let (first, second) = (outlet(former, proxy.endpoint()), outlet(latter, server.endpoint()))
      let run = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      try server.save()
      proxy.mode = .stalls
      former.updateData(1)
      try await running(second.run) {
        try await until { second.statistics.entries == 1 }
        server.kill()
        try server.restoreSaved()
        proxy.mode = .passes
        try await server.start()
        await #expect(throws: RedisSuperseded.self) { try await run.value }
        latter.updateData(100)
        try await until { try second.statistics.lastVersion == 1 && server.lastEntry == second.statistics.lastEntry }
        // Its first state, which was written before the other one took over, and nothing else.
        let number = try #require(first.statistics.lastOutlet)
        #expect(try server.run("XRANGE", "key", "-", "\(number)-18446744073709551615").hasPrefix("\(number)-0\n"))
        #expect(try server.run("XLEN", "key") == "3")
      }
    }

    @Test("an outlet that was cut off while the server was started again waits before it writes")
    func required_8_08_restarted() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let first = outlet(former, proxy.endpoint())
      let run = Task { try await first.run() }
      try await until { first.statistics.entries == 1 }
      proxy.mode = .stalls
      former.updateData(1)
      try await outlast()
      server.kill()
      try await server.start()
      proxy.mode = .passes
      // It has looked at its number, and would have written its state before it looks again.
      try await until { try server.calls(of: "get") >= 2 }
      // Nobody can tell whether another outlet has taken over in the meantime, until it says so.
      try server.run("SET", "key:epoch", "\(RedisServer.lateOutlet)")
      await #expect(throws: RedisSuperseded.self) { try await run.value }
      #expect(try server.run("XLEN", "key") == "1")
    }

    @Test("an outlet that was cut off while the server lost everything goes on when no other one has a greater number")
    func required_8_08_alone() async throws {
      let server = try await RedisServer()
      let proxy = try LossyProxy(server)
      let first = outlet(former, proxy.endpoint(timeout: .milliseconds(500)))
      try await running(first.run) {
        try await until { first.statistics.entries == 1 }
        let number = try #require(first.statistics.lastOutlet)
        proxy.mode = .stalls
        former.updateData(1)
        try await outlast()
        try server.run("FLUSHALL")
        let start = ContinuousClock.now
        proxy.mode = .passes
        try await until { try server.lastEntry == "\(number)-1" }
        #expect(start.duration(to: .now) > .milliseconds(2_900))
        #expect(try server.run("GET", "key:epoch") == "\(number)")
        former.updateData(2)
        try await until { first.statistics.lastVersion == 2 }
        // The state from before the loss, and what was published since.
        #expect(try server.run("XLEN", "key") == "3")
      }
    }
  }

  extension RedisServer {
    /// The id of the last entry.
    var lastEntry: String {
      get throws { String(try run("XREVRANGE", "key", "+", "-", "COUNT", "1").prefix { $0 != "\n" }) }
    }

    private var files: (data: URL, saved: URL) {
      (folder.appending(path: "appendonlydir"), folder.appending(path: "saved"))
    }

    /// Keeps a copy of the data as it is.
    func save() throws { try FileManager.default.copyItem(at: files.data, to: files.saved) }

    /// Replaces the data of a server that doesn't run.
    func restoreSaved() throws {
      try FileManager.default.removeItem(at: files.data)
      try FileManager.default.moveItem(at: files.saved, to: files.data)
    }
  }
#endif
