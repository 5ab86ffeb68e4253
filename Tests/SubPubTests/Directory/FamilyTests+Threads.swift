import SubPub
import SubPubTesting
import Testing

// Threads that ask for a family's managers, release directories, and log out at the same time.
extension DirectoryTests.FamilyTests {
  @Test("whoever receives a manager finds it subscribed to, even while another thread introduces it")
  func required_5_19_2_01_beforeOthers() async throws {
    let (family, gate, isFirst) = (makeFamily(), Gate(), Locked<Bool?>(true))
    defer { gate.open() }
    let held = Listener { _ in if isFirst.withLock({ $0.take() }) == true { gate.pass() } }
    let (other, third, last) = (Listener(), Listener(), PublisherDirectory())
    directory.subscribeToAll(held, on: .immediate)
    directory.subscribeToAll(other, on: .immediate)
    directory.register(family)
    last.subscribeToAll(third, on: .immediate)
    last.register(family)
    async let first = OwnThread.result { family["a"] }
    try await gate.waitUntilHeld()
    let second = try await OwnThread.result { (family["a"], family.existing("a")) }
    #expect(second.0.publisher.subscriberCount == 3)
    #expect(second.1 === second.0)
    gate.open()
    let made = try await first
    #expect(made === second.0)
    made.publisher.updateData(1)
    for listener in [held, other, third] { #expect(listener.lines == ["a 0", "a 1"]) }
  }

  @Test("a manager that lost the race is unknown to subscribers of the directory")
  func required_5_19_2_01_unseen() async throws {
    let (gate, isFirst, listener) = (Gate(), Locked<Bool?>(true), Listener())
    defer { gate.open() }
    let family = makeFamily { manager in
      let isSlow = isFirst.withLock { $0.take() } == true
      manager.publisher.updateData(isSlow ? 1 : 2)
      if isSlow { gate.pass() }
    }
    directory.subscribeToAll(listener, on: .immediate)
    directory.register(family)
    async let first = OwnThread.result { family["a"] }
    try await gate.waitUntilHeld()
    let second = try await OwnThread.result { family["a"] }
    gate.open()
    #expect(try await first === second)
    #expect((second.publisher.state, listener.lines) == (.loaded(2), ["a 1"]))
    #expect("\(directory)" == "PublisherDirectory(publishers: 1, subscribers: 1)")
  }

  @Test("a family forgets directories that are gone")
  func required_5_19_2_05_goneDirectories() {
    let family = makeFamily()
    for _ in 0..<1_000 { PublisherDirectory().register(family) }
    #expect(family.observerCount == 0)
    directory.register(family)
    #expect(family.observerCount == 1)
  }

  @Test("a directory's logout reaches a manager that is being made")
  func required_5_19_1_06_beingMade() async throws {
    let gate = Gate()
    defer { gate.open() }
    let family = makeFamily { manager in
      manager.publisher.updateData(1)
      gate.pass()
    }
    directory.register(family)
    async let manager = OwnThread.result { family["a"] }
    try await gate.waitUntilHeld()
    directory.logoutAll()
    gate.open()
    #expect(try await manager.publisher.state == .unknown)
    #expect(journal.entries == ["a"])
  }
}
