import SubPub
import SubPubTesting
import Testing

// Logouts while managers are being made.
extension ManagerFamilyTests {
  @Test("a logout reaches a manager that is being made, before anybody receives it")
  func required_5_19_logoutWhileMade() async throws {
    let (gate, logouts) = (Gate(), Locked<[Int]>([]))
    defer { gate.open() }
    let common = Counting(9, logouts: logouts)
    let family = ManagerFamily { (key: Int) in
      if key >= 2 { gate.pass() }
      return key == 2 ? Counting(key, logouts: logouts) : common
    }
    let first = family[1]
    async let second = OwnThread.result { (family[2], logouts.withLock { $0 }) }
    async let third = OwnThread.result { (family[3], logouts.withLock { $0 }) }
    try await gate.waitUntilHeld(threads: 2)
    family.logoutAll()
    #expect(logouts.withLock { $0 } == [9])
    gate.open()
    let (made, other) = try await (second, third)
    // The other one is the manager of another key as well.
    #expect(made.1.contains(2))
    #expect(logouts.withLock { $0.sorted() } == [2, 9])
    withExtendedLifetime((first, other)) {}
  }

  @Test("a manager that is being made for two keys is logged out once, if one of them gets it first")
  func required_5_19_logoutOfBoth() async throws {
    let (gates, logouts) = ([Gate(), Gate()], Locked<[Int]>([]))
    defer { gates.forEach { $0.open() } }
    let common = Counting(9, logouts: logouts)
    let family = ManagerFamily { (key: Int) in
      gates[key].pass()
      return common
    }
    async let first = OwnThread.result { (family[0], logouts.withLock { $0 }) }
    async let second = OwnThread.result { (family[1], logouts.withLock { $0 }) }
    for gate in gates { try await gate.waitUntilHeld(threads: 1) }
    family.logoutAll()
    gates[0].open()
    #expect(try await first.1 == [9])
    gates[1].open()
    #expect(try await second.1 == [9])
  }

  @Test("a logout reaches a manager that is being made, although another key gets it meanwhile")
  func required_5_19_logoutWhileShared() async throws {
    let (gate, logouts) = (Gate(), Locked<[Int]>([]))
    defer { gate.open() }
    let common = Counting(9, logouts: logouts)
    let family = ManagerFamily { (key: Int) in
      if key == 1 { gate.pass() }
      return common
    }
    async let first = OwnThread.result { (family[1], logouts.withLock { $0 }) }
    try await gate.waitUntilHeld(threads: 1)
    family.logoutAll()
    // Asked for after the logout, so it isn't logged out for this key.
    let second = family[2]
    #expect(logouts.withLock { $0 } == [])
    gate.open()
    #expect(try await first.1 == [9])
    withExtendedLifetime(second) {}
  }
}
