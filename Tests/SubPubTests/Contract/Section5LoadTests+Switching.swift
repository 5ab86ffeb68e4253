import SubPub
import SubPubTesting
import Testing

// Rule 5.22: publishers that switch.
extension Section5LoadTests {
  @Test("a publisher that switches has the state of the newest value's publisher, and lets go of the one before")
  func required_5_22_switching() {
    let (outer, inner, log) = (Publisher<Int>(), [Publisher<String>(), Publisher<String>()], Recorder<String>())
    let derived = outer.switchingToLatest(label: "page") { inner[$0] }
    derived.subscribe(log, on: .immediate)
    outer.startLoading()
    outer.updateData(0)
    #expect((inner[0].subscriberCount, inner[1].subscriberCount) == (1, 0))
    inner[0].updateData("a")
    outer.startLoading()
    inner[0].updateData("b")
    outer.setError(Failure.offline)
    inner[0].setError(Failure.denied)
    inner[1].updateData("x")
    outer.updateData(1)
    #expect((inner[0].subscriberCount, inner[1].subscriberCount) == (0, 1))
    inner[0].updateData("late")
    inner[1].startLoading()
    // The same publisher again: it is followed anew, from its present state on.
    outer.updateData(1)
    inner[1].updateData("y")
    outer.reset()
    #expect(inner[1].subscriberCount == 0)
    inner[1].updateData("late")
    #expect(
      log.states == [
        .unknown, .loading(previous: nil), .unknown, .loaded("a"), .loading(previous: "a"), .loading(previous: "b"),
        .error(Failure.offline, previous: "b"), .error(Failure.offline, previous: "b"), .loaded("x"),
        .loading(previous: "x"), .loading(previous: "x"), .loaded("y"), .unknown,
      ])
    #expect(log.publications.map(\.version) == Array(0...12))
    #expect(derived.label == "page")
  }

  @Test("a publisher that keeps its value has the former one's until what it follows has one of its own")
  func required_5_22_keepingValue() {
    let (outer, inner, log) = (Publisher<Int>(), (0..<3).map { _ in Publisher<String>() }, Recorder<String>())
    let derived = outer.switchingToLatest(label: "calm", keepingValue: true) { inner[$0] }
    derived.subscribe(log, on: .immediate)
    outer.updateData(0)
    inner[0].updateData("a", age: .seconds(1))
    outer.updateData(1)
    #expect(derived.current.origin == .published)
    outer.startLoading()
    outer.updateData(1)
    inner[1].startLoading()
    inner[1].setError(Failure.denied)
    outer.setError(Failure.offline)
    outer.updateData(2)
    inner[2].updateData("c")
    inner[2].reset()
    outer.updateData(0)
    outer.reset()
    outer.updateData(2)
    #expect(
      log.states == [
        .unknown, .unknown, .loaded("a"), .loading(previous: "a"), .loading(previous: "a"), .loading(previous: "a"),
        .loading(previous: "a"), .error(Failure.denied, previous: "a"), .error(Failure.offline, previous: "a"),
        .loading(previous: "a"), .loaded("c"), .unknown, .loaded("a"), .unknown, .unknown,
      ])
    #expect(derived.current.origin == nil)
  }

  @Test("a kept value has no age, and the next one has")
  func required_5_22_5_06_keptAge() {
    let clock = ManualClock()
    let outer = Publisher<Int>(clock: clock)
    let inner = (0..<2).map { _ in Publisher<Int>(staleAfter: .seconds(60), clock: clock) }
    let derived = outer.switchingToLatest(keepingValue: true) { inner[$0] }
    inner[0].updateData(7, age: .seconds(5))
    outer.updateData(0)
    outer.updateData(1)
    clock.advance(by: .seconds(20))
    #expect((derived.state, derived.age(of: derived.current)) == (.loading(previous: 7), nil))
    inner[1].updateData(8)
    #expect((derived.state, derived.age(of: derived.current)) == (.loaded(8), .zero))
  }

  @Test("a publisher that switches begins with its source's state", arguments: Before.allCases)
  func required_5_22_switchingBegins(before: Before) {
    let outer = Publisher<Int>()
    before.make(at: outer)
    let inner = Publisher<Int>(initial: 7)
    let derived = outer.switchingToLatest { _ in inner }
    let expected: LoadState<Int> =
      switch outer.state {
      case .unknown: .unknown
      case .loading(let previous): .loading(previous: previous.map { _ in 7 })
      case .loaded: .loaded(7)
      case .error(let error, let previous): .error(error, previous: previous.map { _ in 7 })
      }
    #expect(derived.state == expected)
    #expect(derived.current.version == (expected.phase == .unknown ? 0 : 1))
  }

  @Test("data of a publisher that switches has the age of the publisher that it follows, and is stale as either is")
  func required_5_22_5_06_switchingAges() {
    let clock = ManualClock()
    let outer = Publisher<Int>(staleAfter: .seconds(10), clock: clock)
    let inner = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
    let derived = outer.switchingToLatest { _ in inner }
    #expect(derived.age(of: derived.current) == nil && !derived.isStale)
    inner.updateData(1, age: .seconds(5))
    outer.updateData(1)
    #expect(derived.age(of: derived.current) == .seconds(5) && !derived.isStale)
    clock.advance(by: .seconds(20))
    #expect(derived.age(of: derived.current) == .seconds(25) && derived.isStale)
    outer.updateData(1)
    #expect(!derived.isStale)
    clock.advance(by: .seconds(40))
    outer.updateData(1)
    #expect(derived.isStale && derived.staleAfter == nil)
  }

  @Test("releasing a publisher that switches ends its subscriptions and releases what it follows")
  func required_5_22_3_05_switchingLifetime() {
    let (outer, deaths) = (Publisher<Int>(), Deaths())
    let kept = Publisher<Int>(initial: 1)
    weak let followed: Publisher<Int>?
    do {
      let token = deaths.makeToken()
      let first = Publisher<Int>(initial: 0)
      let derived = outer.switchingToLatest { value in
        withExtendedLifetime(token) { value == 0 ? first : kept }
      }
      followed = first
      outer.updateData(0)
      outer.updateData(1)
      #expect((first.subscriberCount, kept.subscriberCount, outer.subscriberCount) == (0, 1, 1))
      #expect(deaths.count == 0)
      withExtendedLifetime(derived) {}
    }
    #expect(followed == nil)
    #expect((kept.subscriberCount, outer.subscriberCount, deaths.count) == (0, 0, 1))
    outer.updateData(0)
  }

  @Test("a transform, and whoever is called by it, may publish to either publisher")
  func required_5_22_4_01_switchingReenters() {
    let (outer, inner, log) = (
      Publisher<Int>(), [Publisher<Int>(initial: 0), Publisher<Int>(initial: 1)], Recorder<Int>()
    )
    let derived = outer.switchingToLatest { value in
      if value == 0 { outer.updateData(1) }
      inner[value].updateData(10 + value)
      return inner[value]
    }
    derived.subscribe(log, on: .immediate) { [weak outer] log, state in
      log.receive(state)
      if state == .loaded(11) { inner[1].updateData(12) }
      if state == .loaded(12) { outer?.reset() }
    }
    outer.updateData(0)
    #expect(log.states == [.unknown, .loaded(10), .loaded(11), .loaded(12), .unknown])
    #expect(inner.map(\.subscriberCount) == [0, 0])
  }

  @Test("a state that the former publisher publishes while the next one is made isn't shown")
  func required_5_22_switchedAway() {
    let (outer, inner) = (Publisher<Int>(), [Publisher<Int>(initial: 0), Publisher<Int>(initial: 1)])
    let derived = outer.switchingToLatest { value in
      if value == 1 { inner[0].updateData(10) }
      return inner[value]
    }
    outer.updateData(0)
    outer.updateData(1)
    #expect((derived.state, derived.current.version) == (.loaded(1), 2))
  }

  @Test("whoever publishes, a publisher that switches ends with the state of the newest value's publisher")
  func stochastic_5_22_switching() async throws {
    for round in 0..<200 {
      let (outer, inner) = (Publisher<Int>(), (0..<3).map { _ in Publisher<Int>() })
      let log = Recorder<Int>()
      let derived = outer.switchingToLatest { inner[$0] }
      derived.subscribe(log, on: .immediate)
      try await Race.run(threads: 4) { thread in
        for step in 1...20 {
          if thread == 3 { outer.updateData((step + round) % 3) } else { inner[thread].updateData(100 * thread + step) }
        }
      }
      let last = try #require(outer.state.value)
      #expect(derived.state == .loaded(100 * last + 20), "round \(round)")
      let versions = log.publications.map(\.version)
      #expect(versions == Array(0..<UInt64(versions.count)), "round \(round)")
    }
  }

}
