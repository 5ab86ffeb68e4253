import SubPub
import SubPubTesting
import Testing

// What is listened to is kept.
extension ManagerFamilyTests {
  private final class Screen: Sendable {}

  @Test("a manager stays while anybody listens, and lingers after the last listener has left")
  func required_5_19_listenedTo() async throws {
    let (clock, deaths, screen) = (ManualClock(), Deaths(), Screen())
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { (key: Int) in Counting(key, deaths: deaths) }
    let (first, last) = (
      family[1].publisher.subscribe(screen, on: .immediate) { _, _ in },
      family[1].publisher.subscribe(screen, on: .immediate) { _, _ in }
    )
    _ = family[2]
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(10))
    try await deaths.wait()
    #expect(family.keys == [1])
    first.cancel()
    clock.advance(by: .seconds(50))
    #expect(family.keys == [1])
    last.cancel()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    #expect((family.keys, deaths.count) == ([1], 1))
    clock.advance(by: .seconds(1))
    try await deaths.wait(count: 2)
    #expect(family.keys.isEmpty)
    withExtendedLifetime(screen) {}
  }

  @Test("a manager whose last listener leaves early lingers from that moment, and a listener who returns keeps it")
  func required_5_19_leftEarly() async throws {
    let (clock, deaths, screen) = (ManualClock(), Deaths(), Screen())
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { (key: Int) in Counting(key, deaths: deaths) }
    let subscription = family[1].publisher.subscribe(screen, on: .immediate) { _, _ in }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(8))
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
    #expect((first ?? second)?.keys == [1])
    #expect(subscription?.isActive == true)
    withExtendedLifetime(screen) {}
  }

  @Test("without lingering, a manager is released when its last listener leaves")
  func required_5_19_withoutLingering() {
    let (deaths, screen) = (Deaths(), Screen())
    let family = ManagerFamily { (key: Int) in Counting(key, deaths: deaths) }
    var manager: Counting? = family[1]
    let id = manager.map { ObjectIdentifier($0) }
    manager?.publisher.subscribe(screen, on: .immediate) { _, _ in }
    manager = nil
    #expect((family.existing(1).map { ObjectIdentifier($0) }, deaths.count) == (id, 0))
    family.existing(1)?.publisher.unsubscribe(screen)
    #expect((family.existing(1) == nil, deaths.count) == (true, 1))
  }

  @Test("a derived publisher keeps its source's manager; a directory doesn't")
  func required_5_19_kindsOfListeners() {
    let (deaths, directory, screen) = (Deaths(), PublisherDirectory(), Listener())
    let family = ManagerFamily { (key: Int) in Counting(key, deaths: deaths) }
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
    let deaths = Deaths()
    let family = ManagerFamily { (key: Int) in Counting(key, deaths: deaths) }
    func listenForAMoment(to key: Int) {
      let (manager, screen) = (family[key], Screen())
      manager.publisher.subscribe(screen, on: .immediate) { _, _ in }
      withExtendedLifetime((manager, screen)) {}
    }
    listenForAMoment(to: 1)
    #expect(family.keys.isEmpty)
    #expect(deaths.count == 1)
    for key in 2..<1_000 { listenForAMoment(to: key) }
    // Nobody has asked for all of them.
    #expect(deaths.count > 900)
  }

  @Test("a family that is gone keeps nothing, however many listen")
  func required_5_19_familyGone() {
    let (deaths, screen) = (Deaths(), Screen())
    do {
      let family = ManagerFamily(lingering: .seconds(4e9)) { (key: Int) in Counting(key, deaths: deaths) }
      for key in 0..<10 { family[key].publisher.subscribe(screen, on: .immediate) { _, _ in } }
      #expect(deaths.count == 0)
    }
    #expect(deaths.count == 10)
    withExtendedLifetime(screen) {}
  }
}

// Clocks that fail, and clocks that are set.
extension ManagerFamilyTests {
  /// A clock that the test sets, and whose first sleeps may fail.
  private final class SetClock: Clock {
    typealias Duration = Swift.Duration
    struct Broken: Error {}

    let manual = ManualClock()
    /// Whether a sleep lasts until the clock shows a time, rather than for a time.
    private let waitsForTime: Bool
    private let state: Locked<(offset: Duration, failures: Int)>

    init(waitsForTime: Bool = false, failures: Int = 0) {
      self.waitsForTime = waitsForTime
      state = Locked((.zero, failures))
    }

    func set(by duration: Duration) { state.withLock { $0.offset += duration } }

    var now: ManualClock.Instant { manual.now.advanced(by: state.withLock { $0.offset }) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      let fails = state.withLock { state in
        state.failures -= 1
        return state.failures >= 0
      }
      if fails { throw Broken() }
      if waitsForTime {
        try await manual.sleep(until: deadline)
      } else {
        try await manual.sleep(for: now.duration(to: deadline))
      }
    }
  }

  @Test("managers die on time after the clock was set ahead and back", arguments: [true, false])
  func required_5_19_clockSetBack(waitsForTime: Bool) async throws {
    let (clock, deaths) = (SetClock(waitsForTime: waitsForTime), Deaths())
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { (key: Int) in Counting(key, deaths: deaths) }
    clock.set(by: .seconds(1_000_000))
    _ = family[1]
    try await clock.manual.waitForSleepers(1)
    clock.set(by: .seconds(-1_000_000))
    _ = family[2]
    try await clock.manual.waitForSleepers(1)
    clock.manual.advance(by: .seconds(10))
    try await deaths.wait(count: 2)
  }

  @Test("a clock that has failed is tried again with the next request")
  func required_5_19_clockRecovers() async throws {
    let (clock, deaths) = (SetClock(failures: 1), Deaths())
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { (key: Int) in Counting(key, deaths: deaths) }
    _ = family[1]
    try await deaths.wait()
    _ = family[1]
    try await clock.manual.waitForSleepers(1)
    clock.manual.advance(by: .seconds(10))
    try await deaths.wait(count: 2)
  }
}
