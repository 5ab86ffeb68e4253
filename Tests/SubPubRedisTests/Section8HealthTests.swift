#if Redis
  import Foundation
  import Testing

  @Suite("Section 8: health tells what is so, from the start to the end", .hangLimit)
  struct Section8HealthTests: RedisSuite {
    let fixture: RedisFixture
    init() async throws { fixture = try await RedisFixture() }

    @Test("after an outlet was refused, health has the reason, and nothing is pending")
    func required_8_07_refused() async throws {
      try server.run("CONFIG", "SET", "requirepass", "secret")
      let outlet = outlet()
      publisher.updateData(1)
      let refusal = await reason(of: Task { try await outlet.run() })?.refusal
      let health = outlet.health
      #expect(health.error?.contains(try #require(refusal)) == true)
      #expect(!health.isConnected && !health.isWriting && health.pending == 0)
    }

    @Test("after an outlet has ended without having written everything, nothing is pending")
    func required_8_07_unwritten() async throws {
      let clock = ManualClock()
      let outlet = outlet(clock: clock)
      let run = try await started(outlet)
      server.kill()
      for number in 1...10 { publisher.updateData(number) }
      try await clock.waitForSleepers(1)
      #expect(outlet.health.pending == 10)
      run.cancel()
      try await clock.waitForSleepers(2)
      clock.advance(by: .seconds(5))
      #expect(await reason(of: run) == .unwritten(10))
      #expect(outlet.health.pending == 0)
      #expect(outlet.health.error?.contains("10 states couldn't be written in time") == true)
    }

    @Test(
      "every state that was published is pending until it is counted as written, and counts once", arguments: [1, 10])
    func stochastic_8_07_pending(burst: Int) async throws {
      let outlet = outlet()
      publisher.updateData(0)
      try await running(outlet) {
        try await until { outlet.health.pending == 0 }
        var published = outlet.statistics.entries
        for _ in 0..<50 {
          for number in 0..<burst { publisher.updateData(number) }
          published += burst
          var pending = burst
          while pending > 0 {
            pending = outlet.health.pending
            #expect(pending <= burst)
          }
          #expect(outlet.statistics.entries == published)
        }
      }
    }

    @Test("as JSON, the times of health are numbers of seconds, and what isn't known is left out")
    func required_8_07_json() throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let known = RedisHealth(
        isConnected: true, isWriting: true, lastContact: .seconds(60), lag: .milliseconds(6), reconnects: 1, pending: 2,
        error: "x")
      let texts = try [known, RedisHealth(isConnected: false)].map { health in
        let data = try encoder.encode(health)
        #expect(try JSONDecoder().decode(RedisHealth.self, from: data) == health)
        return String(decoding: data, as: UTF8.self)
      }
      let all =
        #"{"error":"x","isConnected":true,"isWriting":true,"lag":0.006,"lastContact":60,"pending":2,"reconnects":1}"#
      #expect(texts == [all, #"{"isConnected":false,"isWriting":false,"pending":0,"reconnects":0}"#])
    }

    @Test("what was never published isn't pending, and couldn't have been written")
    func required_8_07_nothingPending() async throws {
      server.kill()
      let outlet = outlet()
      let run = Task { try await outlet.run() }
      try await until { publisher.subscriberCount == 1 && outlet.health.error != nil }
      #expect(outlet.health.pending == 0 && outlet.health.lag == nil)
      for number in 1...2 {
        publisher.updateData(number)
        try await until { outlet.health.pending == number }
      }
      run.cancel()
      let error = await #expect(throws: RedisError.self) { try await run.value }
      #expect(error?.reason == .unwritten(2))
    }

    @Test("health tells of the connection, the last contact, what is pending, and the lag")
    func required_8_07_health() async throws {
      let (outlet, mirror) = (outlet(), mirror())
      #expect(outlet.health == RedisHealth(isConnected: false))
      #expect(mirror.health == RedisHealth(isConnected: false))
      publisher.updateData(1)
      try await running(outlet, mirror) {
        try await mirror.reach(1)
        var (writing, reading) = (outlet.health, mirror.health)
        #expect(writing.isConnected && writing.pending == 0 && writing.lag == .zero && writing.error == nil)
        #expect(reading.isConnected && reading.lag.map { $0 < .seconds(60) } == true && reading.error == nil)
        for contact in [writing.lastContact, reading.lastContact] { #expect(contact.map { $0 < .seconds(60) } == true) }
        server.kill()
        let contact = try #require(outlet.health.lastContact)
        try await until { outlet.health.lastContact.map { $0 > contact } == true }
        publisher.updateData(2)
        // The lag is known once the outlet has taken the state.
        try await until { outlet.health.error != nil && mirror.health.error != nil && outlet.health.lag != nil }
        (writing, reading) = (outlet.health, mirror.health)
        #expect(!writing.isConnected && writing.pending == 1 && !reading.isConnected)
        #expect(writing.error?.contains("key key") == true)
        #expect(writing.lag.map { $0 > .zero } == true)
        try await server.start()
        try await mirror.reach(2)
        try await until { outlet.health.pending == 0 && outlet.health.isWriting }
        (writing, reading) = (outlet.health, mirror.health)
        #expect(writing.isConnected && writing.error == nil && writing.reconnects == 1)
        #expect(reading.isConnected && reading.error == nil && reading.reconnects == 1)
      }
      #expect(!outlet.health.isConnected && !mirror.health.isConnected)
    }

    @Test("health with a count or a time that can't be one can't be decoded")
    func required_5_29_8_07_health() throws {
      let health = RedisHealth(
        isConnected: true, isWriting: true, lastContact: .seconds(1), lag: .seconds(2), reconnects: 3, pending: 4)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let text = String(decoding: try encoder.encode(health), as: UTF8.self)
      #expect(try JSONDecoder().decode(RedisHealth.self, from: Data(text.utf8)) == health)
      let numbers = [
        ("lastContact", "1", ["-1", "1e300", "1.8e20"]), ("lag", "2", ["-0.1", "1e300"]),
        ("reconnects", "3", ["-1", "\(Int.max)"]), ("pending", "4", ["-1", "\(Int.max)"]),
      ]
      for (key, good, damaged) in numbers {
        #expect(text.contains("\"\(key)\":\(good)"), "\(text)")
        for number in damaged {
          let text = text.replacing("\"\(key)\":\(good)", with: "\"\(key)\":\(number)")
          let error = #expect(throws: DecodingError.self, "\(text)") {
            try JSONDecoder().decode(RedisHealth.self, from: Data(text.utf8))
          }
          guard case .dataCorrupted? = error else {
            Issue.record("\(text): \(String(describing: error))")
            continue
          }
        }
      }
    }
  }
#endif
