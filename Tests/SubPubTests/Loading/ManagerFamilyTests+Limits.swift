import SubPub
import SubPubTesting
import Testing

// Rule 5.28: families of bounded size.
extension ManagerFamilyTests {
  @Test(
    "of more managers than may linger, those go that were used longest ago",
    arguments: [Duration.seconds(10), .seconds(4e9)])
  func required_5_28_surplus(lingering: Duration) {
    let family = makeFamily(lingering, clock, mostLingering: 2)
    for key in 1...3 { _ = family[key] }
    #expect((family.keys.sorted(), deaths.count) == ([2, 3], 1))
    // Asking for one is a use; asking whether it exists isn't.
    _ = family[2]
    _ = family.existing(3)
    _ = family[4]
    #expect((family.keys.sorted(), deaths.count) == ([2, 4], 2))
    for key in 5...100 { _ = family[key] }
    #expect((family.keys.sorted(), deaths.count) == ([99, 100], 98))
  }

  @Test("whoever holds a manager, or listens to it, keeps it, and what is listened to doesn't count as lingering")
  func required_5_28_keepers() {
    let (family, screen) = (makeFamily(.seconds(4e9), clock, mostLingering: 1), Listener())
    let held = family[1]
    let subscription = family[2].publisher.subscribe(screen, on: .immediate)
    for key in 3...5 { _ = family[key] }
    #expect(family.keys.sorted() == [1, 2, 5])
    #expect(family[1] === held)
    #expect(family.keys.sorted() == [1, 2])
    // It lingers now, and was used last.
    subscription.cancel()
    #expect((family.keys.sorted(), deaths.count) == ([1, 2], 3))
    _ = family[6]
    #expect(family.keys.sorted() == [1, 6])
    withExtendedLifetime((held, screen)) {}
  }

  @Test("those go that were used longest ago, even if the clock was set back meanwhile")
  func required_5_28_clockSetBack() {
    let clock = CountingClock()
    let family = makeFamily(.seconds(10), clock, mostLingering: 2)
    clock.jump(by: .seconds(1_000))
    for key in 1...2 { _ = family[key] }
    clock.jump(by: .seconds(-990))
    for key in 3...5 { _ = family[key] }
    #expect((family.keys.sorted(), deaths.count) == ([4, 5], 3))
  }

  @Test("a family in which none may linger keeps only what is held or listened to")
  func required_5_28_none() {
    let family = makeFamily(.seconds(10), clock, mostLingering: 0)
    _ = family[1]
    let held = family[2]
    #expect((family.keys, deaths.count) == ([2], 1))
    withExtendedLifetime(held) {}
  }

  @Test("a manager that is removed goes at once, unless somebody holds it or listens")
  func required_5_28_removed() async throws {
    let (family, screen) = (makeFamily(.seconds(10), clock, mostLingering: nil), Listener())
    _ = family[1]
    var held: Counting? = family[2]
    let subscription = family[3].publisher.subscribe(screen, on: .immediate)
    #expect([1, 2, 3, 4].map { family.remove($0) } == [true, true, false, false])
    #expect((family.keys.sorted(), deaths.count) == ([2, 3], 1))
    #expect((family[2] === held, family.remove(2)) == (true, true))
    held = nil
    #expect((family.keys, deaths.count) == ([3], 2))
    subscription.cancel()
    #expect(family.remove(3))
    #expect((family.keys, deaths.count) == ([], 3))
    withExtendedLifetime(screen) {}
  }

  @Test("from however many threads keys are asked for and removed, no more linger than may")
  func stochastic_5_28_5_19_threads() async throws {
    let family = makeFamily(.seconds(4e9), clock, mostLingering: 20)
    try await Race.run(threads: 4) { thread in
      for round in 0..<2_000 {
        let key = (round * 7 + thread * 31) % 200
        let manager = family[key]
        if round % 11 == 0 { family.remove(key) }
        #expect(family[key] === manager)
      }
    }
    #expect(family.keys.count <= 20)
  }
}
