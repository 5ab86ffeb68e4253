import SubPub
import SubPubTesting
import Testing

/// When closures and subscribers go. Every test keeps the `Subscription`.
extension Section3CancellationTests {
  typealias Mortal = Deaths.Mortal

  @Test("3.05: the closure goes before a quiescent cancel returns, on an idle lane", arguments: ContextKind.allCases)
  func required_3_05_closureIdle(kind: ContextKind) async {
    let (place, deaths) = (Place(kind), Deaths())
    defer { withExtendedLifetime(place) {} }
    let subscription: Subscription
    do {
      let captured = deaths.mortal()
      subscription = publisher.subscribe(recorder, on: place.context) { _, _ in withExtendedLifetime(captured) {} }
    }
    publisher.updateData(1)
    await publisher.drain()
    #expect(deaths.count == 0)
    #expect(subscription.cancel() == .quiescent)
    #expect(deaths.count == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test("3.05: and behind another's delivery, with states pending", arguments: ContextKind.holdableShared)
  func required_3_05_closureBehindHeld(kind: ContextKind) async throws {
    let (held, deaths) = (await HeldDelivery(on: kind), Deaths())
    defer { held.gate.open() }
    let subscription: Subscription
    do {
      let captured = deaths.mortal()
      subscription = held.publisher.subscribe(recorder, on: held.place.context) { _, _ in
        withExtendedLifetime(captured) {}
      }
    }
    held.publisher.updateData(2)
    #expect(deaths.count == 0)
    #expect(subscription.cancel() == .quiescent)
    #expect(deaths.count == 1)
    #expect(held.gate.held == 1)
    held.gate.open()
    await held.publisher.drain()
    withExtendedLifetime(subscription) {}
  }

  @Test("3.05: and while nothing has begun", arguments: StoppablePlace.Kind.allCases)
  func required_3_05_closureStopped(kind: StoppablePlace.Kind) async {
    let (place, deaths) = (StoppablePlace(kind), Deaths())
    defer { withExtendedLifetime(place) {} }
    let subscription = await place.whileStopped {
      let subscription: Subscription
      do {
        let captured = deaths.mortal()
        subscription = publisher.subscribe(recorder, on: place.context) { _, _ in withExtendedLifetime(captured) {} }
      }
      publisher.updateData(1)
      #expect(deaths.count == 0)
      #expect(subscription.cancel() == .quiescent)
      #expect(deaths.count == 1)
      return subscription
    }
    await publisher.drain()
    withExtendedLifetime(subscription) {}
  }

  @Test("3.05: a subscriber that only its closure held goes with the closure", arguments: ContextKind.allCases)
  func required_3_05_subscriberIdle(kind: ContextKind) async {
    let (place, deaths) = (Place(kind), Deaths())
    defer { withExtendedLifetime(place) {} }
    weak var probe: Mortal?
    let subscription: Subscription
    do {
      let mortal = deaths.mortal()
      probe = mortal
      subscription = publisher.subscribe(mortal, on: place.context) { _, _ in withExtendedLifetime(mortal) {} }
    }
    await publisher.drain()
    #expect(probe != nil)
    subscription.cancel()
    #expect(probe == nil)
    #expect(deaths.count == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test(
    "3.05: after inFlight the closure goes when that delivery and its round have ended", arguments: ContextKind.holdable
  )
  func required_3_05_closureInFlight(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    held.publisher.updateData(2)
    #expect(try await held.cancel() == .inFlight)
    #expect(held.deaths.count == 0)
    held.gate.open()
    // Without anything else that would make the lane look.
    try await held.deaths.wait()
    #expect(held.recorder.states == [.unknown, .loaded(1)])
    withExtendedLifetime(held) {}
  }

  @Test("3.05: and a subscriber that only the delivery held goes with it", arguments: ContextKind.holdable)
  func required_3_05_subscriberInFlight(kind: ContextKind) async throws {
    let (place, deaths, gate) = (Place(kind), Deaths(), Gate())
    defer { withExtendedLifetime(place) {} }
    defer { gate.open() }
    let holder = Locked<Mortal?>(deaths.mortal())
    let subscription = Locked<Subscription?>(nil)
    OwnThread.start { [publisher] in
      guard let mortal = holder.withLock({ $0.take() }) else { return }
      let made = publisher.subscribe(mortal, on: place.context) { _, state in
        if state == .loaded(1) { gate.pass() }
      }
      subscription.withLock { $0 = made }
      holder.withLock { $0 = mortal }
      publisher.updateData(1)
    }
    await gate.waitUntilHeld()
    // The thread that published may be on its way out, if it isn't the one that is held.
    withExtendedLifetime(holder.withLock { $0.take() }) {}
    #expect(deaths.count == 0)
    let kept = try #require(subscription.withLock { $0 })
    let outcome = try await OwnThread.result { kept.cancel() }
    #expect(outcome == .inFlight)
    #expect(deaths.count == 0)
    gate.open()
    try await deaths.wait()
    withExtendedLifetime(kept) {}
  }

  @Test("3.05: after reentrant the closure is gone when the round has ended", arguments: ManualPlace.Kind.allCases)
  func required_3_05_closureReentrant(kind: ManualPlace.Kind) {
    let (place, deaths) = (ManualPlace(kind), Deaths())
    let own = Locked<Subscription?>(nil)
    let found = Locked<[Int]>([])
    // Before it in the order, so it comes first in the round after.
    publisher.subscribe(recorder, on: place.context) { _, _ in found.withLock { $0.append(deaths.count) } }
    do {
      let captured = deaths.mortal()
      let subscription = publisher.subscribe(recorder, on: place.context) { [publisher] _, state in
        if state == .loaded(1) {
          publisher.updateData(2)
          #expect(own.withLock { $0 }?.cancel() == .reentrant)
        }
        withExtendedLifetime(captured) {}
      }
      own.withLock { $0 = subscription }
    }
    place.serve()
    publisher.updateData(1)
    place.serve()
    #expect(deaths.count == 1)
    // A lane of its own has rounds of its own.
    if kind != .executor { #expect(found.withLock { $0 } == [0, 0, 1]) }
    #expect(publisher.subscriberCount == 1)
    own.withLock { $0 = nil }
  }
}
