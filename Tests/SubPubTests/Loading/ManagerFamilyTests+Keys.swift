import SubPub
import SubPubTesting
import Testing

// Keys are foreign code: they are hashed, compared, and released while no lock is held.
extension ManagerFamilyTests {
  /// A key that calls a closure whenever it is compared.
  private final class Key: Hashable, Sendable {
    let number: Int
    private let whenCompared: @Sendable () -> Void
    private let whenReleased: @Sendable () -> Void

    init(
      _ number: Int, whenCompared: @escaping @Sendable () -> Void = {},
      whenReleased: @escaping @Sendable () -> Void = {}
    ) { (self.number, self.whenCompared, self.whenReleased) = (number, whenCompared, whenReleased) }

    deinit { whenReleased() }

    // Ten keys have the same hash value.
    func hash(into hasher: inout Hasher) { hasher.combine(number / 10) }

    static func == (left: Key, right: Key) -> Bool {
      left.whenCompared()
      right.whenCompared()
      return left.number == right.number
    }
  }

  @Test("a comparison of keys can use the family, here and on another thread")
  func required_5_19_1_04_compared() throws {
    let family = ManagerFamily { (key: Key) in Counting(key.number) }
    let (one, two) = (family[Key(1)], family[Key(2)])
    let isFirst = Locked<Bool?>(true)
    let key = Key(
      2,
      whenCompared: {
        guard isFirst.withLock({ $0.take() }) == true else { return }
        #expect(family[Key(1)] === one)
        OwnThread.runBlocking { #expect(family.existing(Key(2)) === two) }
      })
    #expect(family[key] === two)
    #expect(isFirst.withLock { $0 } == nil)
  }

  @Test("the death of a key can use the family")
  func required_5_19_1_04_released() {
    let family = ManagerFamily { (key: Key) in Counting(key.number) }
    for number in 0..<100 {
      let token = deaths.makeToken()
      let key = Key(
        number,
        whenReleased: { [weak family] in
          #expect(family?.existing(Key(-1)) == nil)
          withExtendedLifetime(token) {}
        })
      _ = family[key]
    }
    #expect((family.keys.isEmpty, deaths.count) == (true, 100))
  }

  @Test("the death of a key that was let go early can use the family, whenever its place in the queues is given up")
  func required_5_19_5_28_1_04_releasedLate() async throws {
    for endsFamily in [false, true] {
      var family: ManagerFamily<Key, Counting>? = ManagerFamily(
        lingering: .seconds(10), mostLingering: endsFamily ? 100 : nil, clock: clock
      ) { Counting($0.number) }
      let deaths = Deaths()
      for number in 0..<100 {
        let token = deaths.makeToken()
        let key = Key(
          number,
          whenReleased: { [weak family] in
            #expect(family?.existing(Key(-1)) == nil)
            withExtendedLifetime(token) {}
          })
        _ = family?[key]
        #expect(family?.remove(Key(number)) == true)
      }
      if endsFamily { family = nil } else { try await passWhenAsleep(.seconds(10)) }
      try await deaths.wait(count: 100)
    }
  }

  @Test("managers that were evicted leave no keys behind")
  func required_5_19_evictedKeys() async throws {
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { (key: Key) in Counting(key.number) }
    for number in 0..<100 {
      let token = deaths.makeToken()
      _ = family[Key(number, whenReleased: { withExtendedLifetime(token) {} })]
    }
    try await passWhenAsleep(.seconds(10))
    try await deaths.wait(count: 100)
  }

  @Test("dead managers leave few keys behind, even if nobody looks")
  func required_5_19_sweeps() {
    let family = ManagerFamily { (key: Key) in Counting(key.number) }
    for number in 0..<1_000 {
      let token = deaths.makeToken()
      _ = family[Key(number, whenReleased: { withExtendedLifetime(token) {} })]
    }
    #expect(deaths.count > 900)
  }

  @Test("a manager that is made while another key is compared isn't made twice", arguments: [false, true])
  func required_5_19_madeMeanwhile(replacesDead: Bool) {
    let made = Locked<[Int]>([])
    let family = ManagerFamily { (key: Key) in
      made.withLock { $0.append(key.number) }
      return Counting(key.number)
    }
    let manager = Locked<Counting?>(nil)
    var other: Counting? = family[Key(1)]
    if replacesDead { other = nil }
    let key = Key(
      2,
      whenCompared: {
        guard manager.withLock({ $0 == nil }) else { return }
        // Removes the key of the dead one, so there is again one key in the bucket.
        _ = family.keys
        let found = family[Key(2)]
        manager.withLock { $0 = found }
      })
    let found = family[key]
    #expect(manager.withLock { $0 } === found)
    #expect(made.withLock { $0 } == [1, 2])
    withExtendedLifetime(other) {}
  }

  @Test("a manager that takes longer to be made than it lingers lives for its whole time")
  func required_5_19_slowMake() async throws {
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { [clock, deaths] (key: Int) in
      clock.advance(by: .seconds(20))
      return Counting(key, deaths: deaths)
    }
    _ = family[1]
    try await clock.waitForSleepers(1)
    #expect(family.existing(1) != nil)
    clock.advance(by: .seconds(10))
    try await deaths.wait()
  }

  @Test("a request that was made earlier doesn't shorten the life of a manager")
  func required_5_19_latestDeadline() async throws {
    let family = ManagerFamily(lingering: .seconds(10), clock: clock) { [deaths] (key: Key) in
      Counting(key.number, deaths: deaths)
    }
    _ = family[Key(1)]
    try await clock.waitForSleepers(1)
    let isFirst = Locked<Bool?>(true)
    let earlier = Key(
      1,
      whenCompared: {
        guard isFirst.withLock({ $0.take() }) == true else { return }
        clock.advance(by: .seconds(5))
        _ = family[Key(1)]
      })
    _ = family[earlier]
    #expect(isFirst.withLock { $0 } == nil)
    clock.advance(by: .seconds(5))
    try await clock.waitForSleepers(1)
    #expect((family.existing(Key(1)) != nil, deaths.count) == (true, 0))
    clock.advance(by: .seconds(5))
    try await deaths.wait()
  }

  @Test("keys of one hash value come and go in any order", arguments: UInt64(0)..<20)
  func stochastic_5_19_oneHashValue(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let family = ManagerFamily { (key: Key) in Counting(key.number) }
    var held: [Int: Counting] = [:]
    for _ in 0..<200 {
      let number = random.draw(10)
      switch random.draw(4) {
      case 0: held[number] = nil
      case 1: #expect(Set(family.keys.map(\.number)) == Set(held.keys))
      default:
        let manager = family[Key(number)]
        #expect(held[number] == nil || held[number] === manager)
        held[number] = manager
      }
      #expect(family.existing(Key(number)) === held[number])
    }
  }
}
