import SubPub
import SubPubTesting
import Testing

@Suite("Section 3: a cancel returns what it found, and nothing follows it", .serialized, .hangLimit)
struct Section3CancellationTests: ContractSuite {
  typealias Token = Deaths.Token

  let lifetime = TestLifetime()
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()

  @Test("an idle subscription's cancel is quiescent, and a second one changes nothing", arguments: ContextKind.allCases)
  func required_3_01_3_02_3_05_idempotent(kind: ContextKind) async throws {
    let (place, other, deaths) = (makePlace(kind), Recorder<Int>(), Deaths())
    let subscription = publisher.subscribe(recorder, on: place.context, capturing: deaths) { $0.receive($1) }
    publisher.subscribe(other, on: place.context)
    publisher.updateData(1)
    await publisher.drain()
    #expect(deaths.count == 0)
    #expect(subscription.cancel() == .quiescent)
    #expect(deaths.count == 1)
    let statistics = subscription.statistics
    for _ in 1...3 { #expect(subscription.cancel() == .alreadyCancelled) }
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 1)
    publisher.updateData(2)
    await publisher.drain()
    // Behind everything that the context still had to do.
    try await place.run {}
    #expect(subscription.cancel() == .alreadyCancelled)
    #expect(subscription.statistics == statistics)
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(other.states == [.unknown, .loaded(1), .loaded(2)])
  }

  @Test("a cancel doesn't wait for the delivery under way, and no other follows", arguments: ContextKind.holdable)
  func required_3_01_3_02_inFlight(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
    held.publisher.updateData(2)
    #expect(try await held.cancel() == .inFlight)
    #expect(held.gate.held == 1)
    #expect(held.deaths.count == 0)
    var statistics = held.subscription.statistics
    #expect((statistics.delivered, statistics.skipped, statistics.pending) == (1, 1, 0))
    // Says nothing of the delivery that is still under way.
    #expect(try await held.cancel() == .alreadyCancelled)
    held.publisher.updateData(3)
    held.gate.open()
    try await held.deaths.wait()
    await held.publisher.drain()
    #expect(held.recorder.states == [.unknown, .loaded(1)])
    statistics = held.subscription.statistics
    #expect((statistics.delivered, statistics.skipped, statistics.pending) == (2, 1, 0))
  }

  @Test("a cancel inside its own delivery is reentrant, and no delivery follows", arguments: ContextKind.allCases)
  func required_3_02_3_03_reentrant(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let outcomes = Recorder<CancelOutcome>()
    let own = Locked<Subscription?>(nil)
    let subscription = publisher.subscribe(recorder, on: place.context) { [publisher] recorder, state in
      recorder.receive(state)
      guard state == .loaded(1), let subscription = own.withLock({ $0 }) else { return }
      publisher.updateData(2)
      for _ in 1...2 { outcomes.receive(.loaded(subscription.cancel())) }
    }
    own.withLock { $0 = subscription }
    publisher.updateData(1)
    try await outcomes.wait(count: 2)
    publisher.updateData(3)
    await publisher.drain()
    try await place.run {}
    #expect(outcomes.states == [.loaded(.reentrant), .loaded(.alreadyCancelled)])
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("a cancel that releases the last reference to its subscriber is quiescent", arguments: ContextKind.allCases)
  func required_3_02_3_05_closureHoldsSubscriber(kind: ContextKind) async {
    let (place, deaths) = (makePlace(kind), Deaths())
    let subscription: Subscription
    do {
      let subscriber = deaths.makeToken()
      subscription = publisher.subscribe(subscriber, on: place.context) { _, _ in
        withExtendedLifetime(subscriber) {}
      }
    }
    await publisher.drain()
    #expect(subscription.isActive)
    #expect(subscription.cancel() == .quiescent)
    #expect(deaths.count == 1)
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test(
    "unsubscribe returns the first of .inFlight, .reentrant, .quiescent and .alreadyCancelled that it finds",
    arguments: [true, false], [true, false])
  func required_3_02_combined(isHeld: Bool, isInside: Bool) async throws {
    for hasIdle in [true, false] {
      let (publisher, gate) = (Publisher<Int>(), makeGate())
      let inside = makePlace(.queue)
      if isHeld {
        publisher.subscribe(recorder, on: Place(.queue).context) { _, _ in gate.pass() }
        try await gate.waitUntilHeld()
      }
      publisher.subscribe(recorder, on: .immediate) { _, _ in }.cancel()
      if hasIdle { publisher.subscribe(recorder, on: .immediate) { _, _ in } }
      let outcomes = Recorder<CancelOutcome>()
      let unsubscribe: @Sendable (Recorder<Int>) -> Void = { outcomes.receive(.loaded(publisher.unsubscribe($0))) }
      if isInside {
        publisher.subscribe(recorder, on: inside.context) { recorder, _ in unsubscribe(recorder) }
      } else {
        OwnThread.start { [recorder] in unsubscribe(recorder) }
      }
      try await outcomes.wait(count: 1)
      let expected: CancelOutcome =
        isHeld ? .inFlight : isInside ? .reentrant : hasIdle ? .quiescent : .alreadyCancelled
      #expect(outcomes.states == [.loaded(expected)], "idle: \(hasIdle)")
      #expect(publisher.subscriberCount == 0)
      #expect(publisher.unsubscribe(recorder) == .alreadyCancelled)
    }
  }

  /// How the library releases an object that cancels in its `deinit`.
  enum Release: String, CaseIterable, Codable, Sendable { case displacedState, closure, endOfPublisher }

  @Test("the deinit of a payload or a closure's capture can cancel", arguments: Release.allCases)
  func required_3_01_deinit(release: Release) async throws {
    let outcomes = Locked<[CancelOutcome]>([])
    try await OwnThread.run {
      let (target, recorder) = (Publisher<DeinitAction>(), Recorder<DeinitAction>())
      let subscription = target.subscribe(recorder, on: .immediate) { _, _ in }
      func cancelling() -> DeinitAction {
        DeinitAction {
          let outcome = [subscription.cancel(), subscription.cancel()]
          outcomes.withLock { $0 += outcome }
        }
      }
      switch release {
      case .displacedState:
        target.updateData(cancelling())
        target.reset()
      case .closure:
        func holding(_ action: DeinitAction) -> @Sendable (Recorder<DeinitAction>, LoadState<DeinitAction>) -> Void {
          { _, _ in withExtendedLifetime(action) {} }
        }
        target.subscribe(recorder, on: .immediate, handler: holding(cancelling())).cancel()
      case .endOfPublisher:
        Publisher().updateData(cancelling())
      }
      #expect(outcomes.withLock { $0 } == [.quiescent, .alreadyCancelled])
      #expect(target.subscriberCount == 0)
      withExtendedLifetime(recorder) {}
    }
  }

  @Test("a closure's capture can cancel the subscription that held the closure")
  func required_3_01_ownDeinit() async throws {
    let outcomes = Recorder<CancelOutcome>()
    try await OwnThread.run { [publisher, recorder] in
      let own = Locked<Subscription?>(nil)
      let subscription: Subscription
      do {
        let action = DeinitAction {
          if let subscription = own.withLock({ $0 }) { outcomes.receive(.loaded(subscription.cancel())) }
        }
        subscription = publisher.subscribe(recorder, on: .immediate) { _, _ in withExtendedLifetime(action) {} }
      }
      own.withLock { $0 = subscription }
      #expect(subscription.cancel() == .quiescent)
    }
    #expect(outcomes.states == [.loaded(.alreadyCancelled)])
  }
}
