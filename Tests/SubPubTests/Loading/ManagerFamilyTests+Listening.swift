import SubPub
import SubPubTesting
import Testing

// What is listened to is kept.
extension ManagerFamilyTests {
  private final class Screen: Sendable {}

  @Test("a manager stays while anybody holds it or listens, and lingers after the last listener has left")
  func required_5_19_listenedTo() async throws {
    let (family, screen) = (makeFamily(lingering: .seconds(10)), Screen())
    let (first, last) = (
      family[1].publisher.subscribe(screen, on: .immediate) { _, _ in },
      family[1].publisher.subscribe(screen, on: .immediate) { _, _ in }
    )
    _ = family[2]
    let held = family[3]
    try await passWhenAsleep(.seconds(10))
    try await deaths.wait()
    #expect(family.keys.sorted() == [1, 3])
    first.cancel()
    clock.advance(by: .seconds(50))
    #expect(family.keys.sorted() == [1, 3])
    last.cancel()
    try await passWhenAsleep(.seconds(9))
    #expect((family.keys.sorted(), deaths.count) == ([1, 3], 1))
    clock.advance(by: .seconds(1))
    try await deaths.wait(count: 2)
    #expect(family.keys == [3])
    #expect(family[3] === held)
    withExtendedLifetime(screen) {}
  }

  @Test("a manager whose last listener leaves early lingers from that moment, and a listener who returns keeps it")
  func required_5_19_leftEarly() async throws {
    let (family, screen) = (makeFamily(lingering: .seconds(10)), Screen())
    let subscription = family[1].publisher.subscribe(screen, on: .immediate) { _, _ in }
    try await passWhenAsleep(.seconds(8))
    subscription.cancel()
    clock.advance(by: .seconds(2))
    try await clock.waitForSleepers(1)
    #expect((family.existing(1) != nil, deaths.count) == (true, 0))
    let returned = family.existing(1)?.publisher.subscribe(screen, on: .immediate) { _, _ in }
    _ = family[2]
    clock.advance(by: .seconds(10))
    try await deaths.wait()
    #expect((family.keys, returned?.isActive) == ([1], true))
    withExtendedLifetime(screen) {}
  }

  @Test("every family of a manager keeps it while anybody listens", arguments: [true, false])
  func required_5_19_twoFamilies(isFirstGone: Bool) {
    let (screen, common) = (Screen(), Locked<Counting?>(Counting(1)))
    let make: @Sendable (Int) -> Counting = { _ in common.withLock { $0 } ?? Counting(0) }
    var (first, second): (ManagerFamily?, ManagerFamily?) = (ManagerFamily(make: make), ManagerFamily(make: make))
    let manager = Locked(first?[1])
    #expect(second?[1] === manager.withLock { $0 })
    let subscription = second?[1].publisher.subscribe(screen, on: .immediate) { _, _ in }
    common.withLock { $0 = nil }
    manager.withLock { $0 = nil }
    if isFirstGone { first = nil } else { second = nil }
    #expect(((first ?? second)?.keys, subscription?.isActive) == ([1], true))
    withExtendedLifetime(screen) {}
  }

  @Test("a derived publisher keeps its source's manager; a directory doesn't")
  func required_5_19_kindsOfListeners() {
    let (family, directory, screen) = (makeFamily(), PublisherDirectory(), Listener())
    directory.subscribeToAll(screen, on: .immediate)
    directory.register(family)
    var manager: Counting? = family[1]
    var derived = manager?.publisher.map { $0 + 1 }
    #expect(derived != nil)
    manager = nil
    #expect((family.keys, deaths.count) == ([1], 0))
    derived = nil
    #expect((family.keys, deaths.count) == ([], 1))
    // Its only listener is the directory's.
    _ = family[2]
    #expect(deaths.count == 2)
  }

  @Test("a manager whose listeners have died is released when the family looks through its managers")
  func required_5_19_deadListeners() {
    let family = makeFamily()
    func listenForAMoment(to key: Int) {
      let (manager, screen) = (family[key], Screen())
      manager.publisher.subscribe(screen, on: .immediate) { _, _ in }
      withExtendedLifetime((manager, screen)) {}
    }
    listenForAMoment(to: 1)
    #expect((family.keys.isEmpty, deaths.count) == (true, 1))
    for key in 2..<1_000 { listenForAMoment(to: key) }
    // Nobody has asked for all of them.
    #expect(deaths.count > 900)
  }
}

// Clocks that fail, and clocks that are set.
extension ManagerFamilyTests {
  @Test("managers die on time after the clock was set ahead and back", arguments: [true, false])
  func required_5_19_clockSetBack(waitsForTime: Bool) async throws {
    let clock = CountingClock(waitsForTime: waitsForTime)
    let family = makeFamily(.seconds(10), clock)
    clock.jump(by: .seconds(1_000_000))
    _ = family[1]
    try await clock.manual.waitForSleepers(1)
    clock.jump(by: .seconds(-1_000_000))
    _ = family[2]
    try await clock.manual.waitForSleepers(1)
    clock.manual.advance(by: .seconds(10))
    try await deaths.wait(count: 2)
  }

  @Test("a clock that has failed is tried again with the next request")
  func required_5_19_clockRecovers() async throws {
    let clock = CountingClock(failures: 1)
    let family = makeFamily(.seconds(10), clock)
    _ = family[1]
    try await deaths.wait()
    _ = family[1]
    try await clock.manual.waitForSleepers(1)
    clock.manual.advance(by: .seconds(10))
    try await deaths.wait(count: 2)
  }
}

// Logouts while managers are being made.
extension ManagerFamilyTests {
  @Test(
    "a manager that is being made for two keys is logged out once, even if a third key gets it meanwhile",
    arguments: [false, true])
  func required_5_19_logoutWhileShared(isAskedForMeanwhile: Bool) async throws {
    let (gates, logouts) = ([Gate(), Gate()], Locked<[Int]>([]))
    defer { gates.forEach { $0.open() } }
    let common = Counting(9, logouts: logouts)
    let family = ManagerFamily { (key: Int) in
      if key < 2 { gates[key].pass() }
      return common
    }
    async let first = OwnThread.result { (family[0], logouts.withLock { $0 }) }
    async let second = OwnThread.result { (family[1], logouts.withLock { $0 }) }
    for gate in gates { try await gate.waitUntilHeld(1) }
    family.logoutAll()
    // Asked for after the logout, so it isn't logged out for this key.
    let third = isAskedForMeanwhile ? family[2] : nil
    #expect(logouts.withLock { $0 } == [])
    gates[0].open()
    #expect(try await first.1 == [9])
    gates[1].open()
    #expect(try await second.1 == [9])
    withExtendedLifetime(third) {}
  }
}
