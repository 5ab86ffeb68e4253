import SubPub
import SubPubTesting
import Testing

/// The other ends that a subscription has.
extension Section3CancellationTests {
  @Test("3.02: ended with its subscriber, idle, it is cancelled already", arguments: ContextKind.allCases)
  func required_3_02_deadSubscriber(kind: ContextKind) async {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let subscription: Subscription
    do {
      let brief = Recorder<Int>()
      subscription = publisher.subscribe(brief, on: place.context)
      await publisher.drain()
      #expect(subscription.isActive)
      withExtendedLifetime(brief) {}
    }
    #expect(!subscription.isActive)
    #expect(subscription.cancel() == .alreadyCancelled)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("3.02: the same with states pending", arguments: StoppablePlace.Kind.allCases)
  func required_3_02_deadSubscriberPending(kind: StoppablePlace.Kind) async {
    let place = StoppablePlace(kind)
    defer { withExtendedLifetime(place) {} }
    await place.whileStopped {
      let subscription: Subscription
      do {
        let brief = Recorder<Int>()
        subscription = publisher.subscribe(brief, on: place.context)
        publisher.updateData(1)
        withExtendedLifetime(brief) {}
      }
      #expect(subscription.cancel() == .alreadyCancelled)
      #expect(subscription.statistics.pending == 0)
    }
    await publisher.drain()
  }

  @Test("3.02: ended with the actor that was its context, it is cancelled already")
  func required_3_02_deadActor() {
    let subscription: Subscription
    do {
      let host = ManualHost()
      subscription = publisher.subscribe(recorder, on: .actor(host))
      host.executor.runAll()
      publisher.updateData(1)
      host.executor.runAll()
      #expect(subscription.isActive)
      withExtendedLifetime(host) {}
    }
    #expect(!subscription.isActive)
    #expect(subscription.cancel() == .alreadyCancelled)
    publisher.updateData(2)
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(publisher.subscriberCount == 0)
  }

  @Test("3.02: ended with its publisher, it is cancelled already", arguments: ContextKind.allCases)
  func required_3_02_endedPublisher(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let subscription: Subscription
    let deaths = Deaths()
    do {
      let brief = Publisher<Int>()
      let captured = deaths.mortal()
      subscription = brief.subscribe(recorder, on: place.context) { recorder, state in
        recorder.receive(state)
        withExtendedLifetime(captured) {}
      }
      brief.updateData(1)
      await brief.drain()
    }
    // Its end: at once if its lane is idle, else when the drain that delivered last looks again.
    try await deaths.wait()
    #expect(subscription.cancel() == .alreadyCancelled)
    #expect(!subscription.isActive)
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("3.02: until the states that a released publisher left are delivered, a cancel still ends it")
  func required_3_02_endingPublisher() async throws {
    let place = StoppablePlace(.queue)
    defer { withExtendedLifetime(place) {} }
    await place.whileStopped {
      let subscription: Subscription
      do {
        let brief = Publisher<Int>()
        subscription = brief.subscribe(recorder, on: place.context)
        brief.updateData(1)
      }
      #expect(subscription.isActive)
      #expect(subscription.cancel() == .quiescent)
      #expect(subscription.cancel() == .alreadyCancelled)
    }
    // Behind whatever the context still had to do.
    let last = Recorder<Int>()
    publisher.subscribe(last, on: place.context)
    try await last.wait(count: 1)
    #expect(recorder.states == [])
  }

  @Test(
    "3.02: several at once say the first of inFlight, reentrant, quiescent; none, or only ended ones, alreadyCancelled",
    arguments: [true, false], [true, false])
  func required_3_02_combined(isHeld: Bool, isInside: Bool) async throws {
    for hasIdle in [true, false] {
      let publisher = Publisher<Int>()
      let gate = Gate()
      defer { gate.open() }
      let inside = Place(.queue)
      if isHeld {
        publisher.subscribe(recorder, on: Place(.queue).context) { _, _ in gate.pass() }
        await gate.waitUntilHeld()
      }
      publisher.subscribe(recorder, on: .immediate) { _, _ in }.cancel()
      if hasIdle { publisher.subscribe(recorder, on: .immediate) { _, _ in } }
      let outcome: CancelOutcome
      if isInside {
        let outcomes = Recorder<CancelOutcome>()
        publisher.subscribe(recorder, on: inside.context) { recorder, _ in
          outcomes.receive(.loaded(publisher.unsubscribe(recorder)))
        }
        try await outcomes.wait(count: 1)
        outcome = try #require(outcomes.states.first?.value)
      } else {
        outcome = try await OwnThread.result { [recorder] in publisher.unsubscribe(recorder) }
      }
      let expected: CancelOutcome =
        isHeld ? .inFlight : isInside ? .reentrant : hasIdle ? .quiescent : .alreadyCancelled
      #expect(outcome == expected, "idle: \(hasIdle)")
      #expect(publisher.subscriberCount == 0)
      #expect(publisher.unsubscribe(recorder) == .alreadyCancelled)
    }
  }
}
