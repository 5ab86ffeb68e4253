import SubPub
import SubPubTesting
import Testing

/// When payloads go. Every test keeps the `Subscription`, and the publisher holds the last state as its current one.
extension Section3CancellationTests {
  /// Publishes five.
  func publishMortals(_ deaths: Deaths, at publisher: Publisher<Mortal>) {
    for _ in 1...5 { publisher.updateData(deaths.mortal()) }
  }

  @Test(
    "3.05: what only a cancelled subscription had pending goes before a quiescent cancel returns",
    arguments: StoppablePlace.Kind.allCases, BufferingPolicy.oneOfEach)
  func required_3_05_payloadsPending(kind: StoppablePlace.Kind, policy: BufferingPolicy) async {
    let (place, deaths, publisher) = (StoppablePlace(kind), Deaths(), Publisher<Mortal>())
    defer { withExtendedLifetime((place, publisher)) {} }
    let subscriber = Deaths().mortal()
    let subscription = await place.whileStopped {
      let subscription = publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in }
      publishMortals(deaths, at: publisher)
      // The first state, version 0, has no payload.
      let rest = policy.rest(of: Array(0...5)).filter { $0 > 0 }
      #expect(deaths.count == 5 - rest.count)
      #expect(subscription.cancel() == .quiescent)
      #expect(deaths.count == 4)
      return subscription
    }
    await publisher.drain()
    withExtendedLifetime((subscription, subscriber)) {}
  }

  @Test(
    "3.05: behind a delivery of another that keeps only the latest, it goes with the round under way",
    arguments: ContextKind.holdableShared, [.latest, .newest(1)] as [BufferingPolicy])
  func required_3_05_payloadsBehindHeld(kind: ContextKind, others: BufferingPolicy) async throws {
    let (place, deaths, publisher) = (Place(kind), Deaths(), Publisher<Mortal>())
    defer { withExtendedLifetime((place, publisher)) {} }
    let (gate, found) = (Gate(), Recorder<Int>())
    defer { gate.open() }
    OwnThread.start {
      publisher.subscribe(found, on: place.context, buffering: others) { found, _ in
        gate.pass()
        found.receive(.loaded(deaths.count))
      }
    }
    await gate.waitUntilHeld()
    let subscriber = Deaths().mortal()
    let subscription = publisher.subscribe(subscriber, on: place.context) { _, _ in }
    publishMortals(deaths, at: publisher)
    #expect(deaths.count == 0)
    #expect(subscription.cancel() == .quiescent)
    gate.open()
    try await found.wait(count: 2)
    #expect(found.states == [.loaded(found.states.first?.value ?? -1), .loaded(4)])
    withExtendedLifetime((subscription, subscriber)) {}
  }

  /// Where the states are when the cancel comes.
  enum Backlog: String, CaseIterable, Codable, Sendable { case lane, batch }

  @Test(
    "3.05: after inFlight it goes with the round under way, what the drain has taken too",
    arguments: ContextKind.holdable, Backlog.allCases)
  func required_3_05_payloadsInFlight(kind: ContextKind, backlog: Backlog) async throws {
    let (place, deaths, publisher) = (Place(kind), Deaths(), Publisher<Mortal>())
    defer { withExtendedLifetime((place, publisher)) {} }
    let (first, second) = (Gate(), Gate())
    defer {
      first.open()
      second.open()
    }
    let calls = Event()
    let found = Recorder<Int>()
    let made = Locked<Subscription?>(nil)
    OwnThread.start {
      let subscription = publisher.subscribe(calls, on: place.context) { calls, _ in
        calls.happen()
        (calls.count == 1 ? first : second).pass()
      }
      made.withLock { $0 = subscription }
    }
    await first.waitUntilHeld()
    // In a shared lane somebody stays, who wants the latest only.
    if ContextKind.shared.contains(kind) {
      publisher.subscribe(found, on: place.context, buffering: .latest) { found, _ in
        found.receive(.loaded(deaths.count))
      }
    }
    publishMortals(deaths, at: publisher)
    if backlog == .batch {
      first.open()
      await second.waitUntilHeld()
    }
    #expect(deaths.count == 0)
    let all = publisher.subscriptions
    let outcome = try await OwnThread.result { publisher.unsubscribe(calls) }
    #expect(outcome == .inFlight)
    first.open()
    second.open()
    try await deaths.wait(count: 4)
    if ContextKind.shared.contains(kind) {
      try await found.wait { $0 == .loaded(4) }
      #expect(found.states.count == 1)
    }
    #expect(calls.count == (backlog == .batch ? 2 : 1))
    withExtendedLifetime((all, made)) {}
  }

  @Test("3.05: after reentrant it has gone when the round ends", arguments: ManualPlace.Kind.allCases, Backlog.allCases)
  func required_3_05_payloadsReentrant(kind: ManualPlace.Kind, backlog: Backlog) {
    let (place, deaths, publisher) = (ManualPlace(kind), Deaths(), Publisher<Mortal>())
    let calls = Event()
    let subscription = publisher.subscribe(calls, on: place.context) { calls, _ in
      calls.happen()
      if calls.count == 1 { for _ in 1...5 { publisher.updateData(deaths.mortal()) } }
      if calls.count == (backlog == .lane ? 1 : 2) { #expect(publisher.unsubscribe(calls) == .reentrant) }
    }
    place.serve()
    #expect(calls.count == (backlog == .lane ? 1 : 2))
    #expect(deaths.count == 4)
    withExtendedLifetime(subscription) {}
  }

  @Test(
    "3.05: kept buffers hold no references: after a burst every payload is dead",
    arguments: ContextKind.allCases, BufferingPolicy.oneOfEach)
  func required_3_05_bursts(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, deaths, publisher) = (Place(kind), Deaths(), Publisher<Mortal>())
    defer { withExtendedLifetime((place, publisher)) {} }
    let subscriber = Deaths().mortal()
    let subscription = publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in }
    for burst in 1...3 {
      for _ in 1...300 { publisher.updateData(deaths.mortal()) }
      publisher.reset()
      await publisher.drain()
      try await deaths.wait(count: 300 * burst)
    }
    #expect(subscription.isActive)
    withExtendedLifetime(subscriber) {}
  }

  @Test(
    "3.05: and on a lane that was stopped meanwhile", arguments: StoppablePlace.Kind.allCases, BufferingPolicy.oneOfEach
  )
  func required_3_05_burstStopped(kind: StoppablePlace.Kind, policy: BufferingPolicy) async throws {
    let (place, deaths, publisher) = (StoppablePlace(kind), Deaths(), Publisher<Mortal>())
    defer { withExtendedLifetime((place, publisher)) {} }
    let subscriber = Deaths().mortal()
    let subscription = await place.whileStopped {
      let subscription = publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in }
      for _ in 1...300 { publisher.updateData(deaths.mortal()) }
      publisher.reset()
      return subscription
    }
    await publisher.drain()
    try await deaths.wait(count: 300)
    #expect(subscription.isActive)
    withExtendedLifetime(subscriber) {}
  }

  @Test(
    "3.05: on one thread they are dead when the lane has been served",
    arguments: ManualPlace.Kind.allCases, BufferingPolicy.oneOfEach)
  func required_3_05_burstManual(kind: ManualPlace.Kind, policy: BufferingPolicy) {
    let (place, deaths, publisher) = (ManualPlace(kind), Deaths(), Publisher<Mortal>())
    let subscriber = Deaths().mortal()
    let subscription = publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in }
    for burst in 1...3 {
      for _ in 1...300 { publisher.updateData(deaths.mortal()) }
      publisher.reset()
      place.serve()
      #expect(deaths.count == 300 * burst)
    }
    #expect(subscription.isActive)
    withExtendedLifetime(subscriber) {}
  }
}
