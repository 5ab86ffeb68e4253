import SubPub
import SubPubTesting
import Testing

@Suite("Section 2: a subscription gets every state in order on its context", .serialized, .hangLimit)
struct Section2SubscriptionTests: ContractSuite {
  let lifetime = TestLifetime()
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()

  // MARK: 2.01

  @Test("the replay is the current state, and every later state follows", arguments: ContextKind.allCases)
  func required_2_01_replayThenLater(kind: ContextKind) async {
    for number in 1...3 { publisher.updateData(number) }
    let subscription = publisher.subscribe(recorder, on: makePlace(kind).context)
    for number in 4...50 { publisher.updateData(number) }
    await publisher.drain()
    #expect(recorder.publications.map(\.version) == Array(3...50))
    #expect(recorder.states == (3...50).map { .loaded($0) })
    let statistics = subscription.statistics
    #expect((statistics.delivered, statistics.skipped, statistics.pending) == (48, 0, 0))
    #expect(statistics.lastVersion == 50)
  }

  @Test("who joins behind a derived publisher gets the current state, even if that has to wait")
  func required_2_01_behindDerived() {
    // The subscription is told of first, so the state can't be delivered at once.
    let told = Publisher<Int>(instrumentation: Section7InstrumentationTests.Events())
    let double = told.map { $0 * 2 }
    let subscription = told.subscribe(recorder, on: .immediate)
    told.updateData(1)
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(double.state == .loaded(2))
    #expect((subscription.statistics.delivered, subscription.statistics.skipped) == (2, 0))

    // A delivery is under way, of the only subscriber that came before the derived publisher, and goes.
    let (late, derived) = (Recorder<Int>(), Locked<ReadOnlyPublisher<Int>?>(nil))
    let first = publisher.subscribe(makeListener(), on: .immediate) { [weak publisher] listener, state in
      guard let publisher, state == .loaded(1) else { return }
      publisher.unsubscribe(listener)
      derived.withLock { $0 = publisher.map { -$0 } }
      publisher.subscribe(late, on: .immediate)
    }
    publisher.updateData(1)
    publisher.updateData(2)
    #expect(!first.isActive)
    #expect(late.states == [.loaded(1), .loaded(2)])
    #expect(derived.withLock { $0?.state } == .loaded(-2))
  }

  @Test(
    "a subscriber that joins while two threads publish misses nothing", arguments: ContextKind.allCases,
    1...TestRounds.of(3, full: 6))
  func stochastic_2_01_whilePublishing(kind: ContextKind, round: Int) async throws {
    let (place, publisher) = (makePlace(kind), publisher)
    let recorders = (0..<40).map { _ in Recorder<Int>() }
    let joined = Locked<[(subscription: Subscription, versions: ClosedRange<UInt64>)]>([])
    let isOver = Locked(false)
    try await Race.run(threads: 3) { thread in
      guard thread == 2 else {
        for number in 0..<4_000 {
          publisher.updateData(number)
          if number >= 100, isOver.withLock({ $0 }) { return }
        }
        return
      }
      for recorder in recorders {
        let before = publisher.current.version
        let subscription = publisher.subscribe(recorder, on: place.context)
        let after = publisher.current.version
        joined.withLock { $0.append((subscription, before...after)) }
      }
      isOver.withLock { $0 = true }
    }
    await publisher.drain()
    let (all, last) = (joined.withLock { $0 }, publisher.current.version)
    try #require(all.count == recorders.count)
    for (recorder, (subscription, range)) in zip(recorders, all) {
      let versions = recorder.publications.map(\.version)
      let first = try #require(versions.first)
      #expect(range.contains(first))
      #expect(versions == Array(first...last))
      #expect(subscription.statistics.delivered == versions.count)
      #expect(subscription.statistics.skipped == 0)
    }
  }

  // MARK: 2.02

  @Test("no delivery of a held subscription begins while its context serves others", arguments: ContextKind.concurrent)
  func required_2_02_held(kind: ContextKind) async throws {
    let (place, held) = (makePlace(kind), makeHeldRecorder())
    let subscription = publisher.subscribe(held, on: place.context)
    try await held.hold(publisher)
    publisher.subscribe(recorder, on: place.independent)
    for number in 2...20 { publisher.updateData(number) }
    try await recorder.wait { $0 == .loaded(20) }
    try await place.run {}
    #expect(held.versions.last == 1)
    #expect(held.mostAtOnce == 1)
    #expect(subscription.statistics.pending == 19)
    await held.release(publisher)
    #expect(held.versions == Array(0...20))
    #expect(held.mostAtOnce == 1)
  }
}
