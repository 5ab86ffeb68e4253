import SubPub
import SubPubTesting
import Testing

@Suite("A family has one manager for each key", .hangLimit)
struct ManagerFamilyTests {
  /// A manager that counts what is asked of it.
  final class Counting: Manager {
    let publisher: Publisher<Int>
    let refreshes = Locked(0)
    let invalidations = Locked(0)
    private let logouts: Locked<[Int]>
    private let key: Int
    private let token: Deaths.Token?

    init(_ key: Int, logouts: Locked<[Int]> = Locked([]), deaths: Deaths? = nil) {
      self.key = key
      self.logouts = logouts
      publisher = Publisher(label: "\(key)")
      token = deaths?.makeToken()
    }

    func refreshIfNeeded() { refreshes.withLock { $0 += 1 } }
    func invalidate() { invalidations.withLock { $0 += 1 } }
    func logout() { logouts.withLock { $0.append(key) } }
  }

  let made = Locked<[Int]>([])
  let deaths = Deaths()
  let clock = ManualClock()

  func makeFamily(lingering: Duration = .zero) -> ManagerFamily<Int, Counting> { makeFamily(lingering, clock) }

  func makeFamily(
    _ lingering: Duration, _ clock: any Clock<Duration>, mostLingering: Int? = nil
  ) -> ManagerFamily<Int, Counting> {
    ManagerFamily(lingering: lingering, mostLingering: mostLingering, clock: clock) { [made, deaths] key in
      made.withLock { $0.append(key) }
      return Counting(key, deaths: deaths)
    }
  }

  /// Advances the clock as soon as the family's timer sleeps.
  func passWhenAsleep(_ duration: Duration) async throws {
    try await clock.waitForSleepers(1)
    clock.advance(by: duration)
  }

  @Test("a key has the same manager for as long as anybody holds it, and then a new one")
  func required_5_19_oneForEachKey() {
    let family = makeFamily()
    #expect(family.existing(1) == nil)
    do {
      let (one, two) = (family[1], family[2])
      #expect(family[1] === one && family[2] === two && one !== two)
      #expect(family.existing(1) === one)
      #expect(family.keys.sorted() == [1, 2])
      #expect(family.description == "ManagerFamily<Int, Counting>(managers: 2)")
      withExtendedLifetime((one, two)) {}
    }
    #expect(deaths.count == 2)
    #expect(family.existing(1) == nil)
    #expect(family.keys.isEmpty)
    #expect((family[1].publisher.label, made.withLock { $0 }) == ("1", [1, 2, 1]))
  }

  @Test("a manager lingers after each request, by the family's clock")
  func required_5_19_lingering() async throws {
    let family = makeFamily(lingering: .seconds(10))
    _ = family[1]
    try await passWhenAsleep(.seconds(6))
    _ = (family[1], family[2])
    // The timer wakes up for the first request, and goes on sleeping for the second.
    clock.advance(by: .seconds(4))
    try await clock.waitForSleepers(1)
    #expect(family.keys.sorted() == [1, 2])
    // Looking isn't a request.
    #expect(family.existing(1) != nil)
    clock.advance(by: .seconds(6))
    try await deaths.wait(count: 2)
    #expect(family.keys.isEmpty)
    _ = family[1]
    #expect(made.withLock { $0 } == [1, 2, 1])
    try await passWhenAsleep(.seconds(10))
    try await deaths.wait(count: 3)
  }

  @Test(
    "managers that linger for a century live as long as their family, listened to or not", arguments: [true, false])
  func required_5_19_asLongAsTheFamily(forever: Bool) async throws {
    let listener = Listener()
    do {
      let family = makeFamily(lingering: forever ? .seconds(4e9) : .seconds(10))
      for key in 0..<100 { _ = family[key] }
      family[7].publisher.subscribe(listener, on: .immediate)
      #expect(family.keys.count == 100)
      if !forever { try await clock.waitForSleepers(1) }
    }
    #expect(deaths.count == 100)
    // Its timer has ended as well.
    #expect(clock.sleepers == 0)
  }

  @Test("make runs while no lock is held, nobody waits for it, and everybody receives what was made first")
  func required_5_19_1_04_make() async throws {
    let (gate, isFirst) = (Gate(), Locked<Bool?>(true))
    defer { gate.open() }
    let family = Locked<ManagerFamily<Int, Counting>?>(nil)
    family.withLock {
      $0 = ManagerFamily { [deaths] key in
        if key == 1, isFirst.withLock({ $0.take() }) == true {
          let other = family.withLock { $0 }
          #expect(other?[2] != nil)
          // Looking for dead managers leaves alone the one that is being made.
          #expect(other?.keys == [])
          OwnThread.runBlocking {
            #expect(other?.existing(1) == nil)
            #expect(other?[3].publisher.label == "3")
          }
          gate.pass()
        }
        return Counting(key, deaths: deaths)
      }
    }
    let shared = try #require(family.withLock { $0 })
    // Its closure captures it.
    defer { family.withLock { $0 = nil } }
    async let first = OwnThread.result { shared[1] }
    try await gate.waitUntilHeld()
    #expect(shared.existing(1) == nil)
    let second = try await OwnThread.result { shared[1] }
    let third = try await OwnThread.result { shared[1] }
    #expect(shared.existing(1) === second)
    #expect(!gate.isOpen)
    let before = deaths.count
    gate.open()
    let managers = try await [first, second, third]
    #expect(managers.allSatisfy { $0 === managers[0] })
    // What the first thread has made.
    #expect(deaths.count == before + 1)
  }

  @Test("a make may ask for its own key, and receives what the inner call has made")
  func required_5_19_asksForItself() {
    let family = Locked<ManagerFamily<Int, Counting>?>(nil)
    let (inner, isFirst) = (Locked<Counting?>(nil), Locked<Bool?>(true))
    defer { family.withLock { $0 = nil } }
    family.withLock {
      $0 = ManagerFamily { key in
        guard isFirst.withLock({ $0.take() }) == true else { return Counting(key) }
        let found = family.withLock { $0 }?[key]
        inner.withLock { $0 = found }
        return Counting(key)
      }
    }
    let found = family.withLock { $0 }?[1]
    #expect(found != nil && found === inner.withLock { $0 })
  }

  @Test("a family asks every living manager, and every lingering one")
  func required_5_19_all() async {
    let logouts = Locked<[Int]>([])
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { (key: Int) in Counting(key, logouts: logouts) }
    let held = family[1]
    _ = family[2]
    family.logoutAll()
    #expect(logouts.withLock { $0.sorted() } == [1, 2])
    family.refreshAllIfNeeded(onlyListenedTo: false)
    #expect((held.refreshes.withLock { $0 }, family.existing(2)?.refreshes.withLock { $0 }) == (1, 1))
  }
}
