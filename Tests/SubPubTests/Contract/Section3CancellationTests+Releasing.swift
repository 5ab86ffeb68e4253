import SubPub
import SubPubTesting
import Testing

// Rule 3.05: when closures, subscribers and payloads are released. Every test keeps the `Subscription`.
extension Section3CancellationTests {
  @Test("a quiescent cancel releases the closure in a held lane", arguments: ContextKind.holdableShared)
  func required_3_05_closureBehindHeld(kind: ContextKind) async throws {
    let (held, deaths) = (try await HeldDelivery(on: kind), Deaths())
    let subscription = held.publisher.subscribe(recorder, on: held.place.context, capturing: deaths) { $0.receive($1) }
    held.publisher.updateData(2)
    #expect(subscription.statistics.pending == 2)
    #expect(deaths.count == 0)
    #expect(try await OwnThread.result { subscription.cancel() } == .quiescent)
    #expect(deaths.count == 1)
    #expect(held.gate.held == 1)
    await held.release()
    #expect(held.recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(recorder.states == [])
    withExtendedLifetime(subscription) {}
  }

  @Test("after inFlight a subscriber that only the delivery holds dies with it", arguments: ContextKind.holdable)
  func required_3_05_subscriberInFlight(kind: ContextKind) async throws {
    let (place, deaths, gate) = (makePlace(kind), Deaths(), makeGate())
    let holder = Locked<Token?>(deaths.makeToken())
    let subscription = Locked<Subscription?>(nil)
    OwnThread.start { [publisher] in
      guard let shortLived = holder.withLock({ $0.take() }) else { return }
      let made = publisher.subscribe(shortLived, on: place.context) { _, state in
        if state == .loaded(1) { gate.pass() }
      }
      subscription.withLock { $0 = made }
      holder.withLock { $0 = shortLived }
      publisher.updateData(1)
    }
    try await gate.waitUntilHeld()
    // Takes it from a publishing thread that hasn't returned yet.
    withExtendedLifetime(holder.withLock { $0.take() }) {}
    #expect(deaths.count == 0)
    let kept = keep(try #require(subscription.withLock { $0 }))
    #expect(try await OwnThread.result { kept.cancel() } == .inFlight)
    #expect(deaths.count == 0)
    gate.open()
    try await deaths.wait()
  }

  @Test("after reentrant the closure is released when the round has ended", arguments: ManualPlace.Kind.allCases)
  func required_3_05_closureReentrant(kind: ManualPlace.Kind) {
    let (place, deaths) = (ManualPlace(kind), Deaths())
    let (own, found) = (Locked<Subscription?>(nil), Locked<[Int]>([]))
    // Joins first, so that it comes first in the round after.
    publisher.subscribe(recorder, on: place.context) { _, _ in found.withLock { $0.append(deaths.count) } }
    let subscription = publisher.subscribe(recorder, on: place.context, capturing: deaths) { [publisher] _, state in
      guard state == .loaded(1) else { return }
      publisher.updateData(2)
      #expect(own.withLock { $0 }?.cancel() == .reentrant)
    }
    own.withLock { $0 = subscription }
    place.serve()
    publisher.updateData(1)
    place.serve()
    #expect(deaths.count == 1)
    // On an executor each subscription has a lane and rounds of its own.
    if kind != .executor { #expect(found.withLock { $0 } == [0, 0, 1]) }
    #expect(publisher.subscriberCount == 1)
    own.withLock { $0 = nil }
  }

  // MARK: payloads; every test keeps the publisher, too, which holds its current state

  private func publish(_ count: Int, _ deaths: Deaths, at publisher: Publisher<Token>) {
    for _ in 1...count { publisher.updateData(deaths.makeToken()) }
  }

  @Test("a quiescent cancel releases pending payloads", arguments: ContextKind.stoppable, BufferingPolicy.oneOfEach)
  func required_3_05_payloadsPending(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    try await place.whileStopped {
      let subscription = keep(
        publisher.subscribe(makeListener(), on: place.context, buffering: policy) { _, _ in })
      publish(5, deaths, at: publisher)
      // Version 0 has no payload.
      let rest = policy.rest(of: Array(0...5)).filter { $0 > 0 }
      #expect(deaths.count == 5 - rest.count)
      #expect(subscription.cancel() == .quiescent)
      #expect(deaths.count == 4)
    }
    await publisher.drain()
  }

  @Test(
    "a cancel behind a bounded neighbor releases payloads with the round",
    arguments: ContextKind.holdableShared, [.latest, .newest(1)] as [BufferingPolicy])
  func required_3_05_payloadsBehindHeld(kind: ContextKind, others: BufferingPolicy) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    let (gate, found) = (makeGate(), Recorder<Int>())
    OwnThread.start {
      publisher.subscribe(found, on: place.context, buffering: others) { found, _ in
        gate.pass()
        found.receive(.loaded(deaths.count))
      }
    }
    try await gate.waitUntilHeld()
    let subscription = keep(publisher.subscribe(makeListener(), on: place.context) { _, _ in })
    publish(5, deaths, at: publisher)
    #expect(deaths.count == 0)
    #expect(subscription.cancel() == .quiescent)
    gate.open()
    try await found.wait(count: 2)
    #expect(found.states.map(\.value).dropFirst() == [4])
  }

  /// Where the states are at the time of the cancel.
  enum Backlog: String, CaseIterable, Codable, Sendable { case lane, batch }

  @Test("after inFlight pending payloads die with the round", arguments: ContextKind.holdable, Backlog.allCases)
  func required_3_05_payloadsInFlight(kind: ContextKind, backlog: Backlog) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    let (first, second, calls, found) = (makeGate(), makeGate(), Event(), Recorder<Int>())
    OwnThread.start {
      publisher.subscribe(calls, on: place.context) { calls, _ in
        calls.happen()
        (calls.count == 1 ? first : second).pass()
      }
    }
    try await first.waitUntilHeld()
    // A neighbor in a shared lane that stays, and wants only the latest.
    if ContextKind.shared.contains(kind) {
      publisher.subscribe(found, on: place.context, buffering: .latest) { found, _ in
        found.receive(.loaded(deaths.count))
      }
    }
    publish(5, deaths, at: publisher)
    if backlog == .batch {
      first.open()
      try await second.waitUntilHeld()
    }
    #expect(deaths.count == 0)
    for subscription in publisher.subscriptions { _ = keep(subscription) }
    #expect(try await OwnThread.result { publisher.unsubscribe(calls) } == .inFlight)
    first.open()
    second.open()
    try await deaths.wait(count: 4)
    if ContextKind.shared.contains(kind) {
      try await found.wait { $0 == .loaded(4) }
      #expect(found.states.count == 1)
    }
    #expect(calls.count == (backlog == .batch ? 2 : 1))
  }

  @Test("after reentrant pending payloads die with the round", arguments: ManualPlace.Kind.allCases, Backlog.allCases)
  func required_3_05_payloadsReentrant(kind: ManualPlace.Kind, backlog: Backlog) {
    let (place, deaths, publisher) = (ManualPlace(kind), Deaths(), keep(Publisher<Token>()))
    let calls = Event()
    let subscription = publisher.subscribe(calls, on: place.context) { calls, _ in
      calls.happen()
      if calls.count == 1 { for _ in 1...5 { publisher.updateData(deaths.makeToken()) } }
      if calls.count == (backlog == .lane ? 1 : 2) { #expect(publisher.unsubscribe(calls) == .reentrant) }
    }
    place.serve()
    #expect(calls.count == (backlog == .lane ? 1 : 2))
    #expect(deaths.count == 4)
    withExtendedLifetime(subscription) {}
  }
}
