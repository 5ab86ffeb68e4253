#if DEBUG
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The queue of a derived publisher makes one transition at a time, in order")
  struct DerivingQueueTests {
    @Test("whoever makes the rest leaves it to a thread that is making transitions")
    func required_5_22_rest() async throws {
      let (queue, made, gate, transition) = (DerivingQueue<Int>(), Journal<Int>(), Gate(), Event())
      defer { gate.open() }
      let make: @Sendable (Int) -> Void = { number in
        if number == 17 { gate.pass() }
        made.add(number)
        transition.happen()
      }
      // What the deriving thread makes at most, and one more.
      for number in 1...17 { queue.receive(number, make) }
      queue.makeWaiting(make)
      #expect(made.entries == Array(1...16))
      OwnThread.start { queue.receive(18, make) }
      // By that thread, or by the one that makes the rest after a millisecond.
      try await gate.waitUntilHeld()
      queue.receive(19, make)
      queue.makeRest(make)
      #expect(made.entries == Array(1...16))
      gate.open()
      try await transition.wait(count: 19)
      #expect(Set(made.entries) == Set(1...19))
      #expect(made.entries.prefix(17) == Array(1...17)[...])
    }
  }
#endif
