import SubPub
import SubPubTesting
import Testing

// Rule 3.08: `observe` and `scoped()`.
extension Section3CancellationTests {
  @Test("an observer receives publications until its subscription is released", arguments: ContextKind.allCases)
  func required_3_08_3_05_observe(kind: ContextKind) async {
    let (place, recorder, deaths) = (makePlace(kind), recorder, Deaths())
    var observation: ScopedSubscription?
    do {
      let captured = deaths.makeToken()
      observation = publisher.observe(on: place.context) { publication in
        withExtendedLifetime(captured) { recorder.receive(publication) }
      }
    }
    publisher.updateData(1)
    await publisher.drain()
    #expect(observation?.isActive == true)
    #expect(observation?.context == place.context)
    #expect(observation?.statistics.delivered == 2)
    let subscription = observation?.subscription
    #expect(deaths.count == 0)
    observation = nil
    #expect(deaths.count == 1)
    #expect(subscription?.isActive == false)
    #expect(subscription?.cancel() == .alreadyCancelled)
    #expect(publisher.subscriberCount == 0)
    publisher.updateData(2)
    await publisher.drain()
    #expect(recorder.publications.map(\.version) == [0, 1])
  }

  @Test("an observer that is released during its delivery, here or elsewhere, gets no other", arguments: [true, false])
  func required_3_08_releasedDuringDelivery(isInside: Bool) async throws {
    let (gate, recorder, publisher) = (makeGate(), recorder, publisher)
    let holder = Locked<ScopedSubscription?>(nil)
    let observation = publisher.observe(on: .immediate) {
      recorder.receive($0)
      guard $0.version == 1 else { return }
      if isInside { holder.withLock { $0.take() } }
      gate.pass()
    }
    let subscription = observation.subscription
    holder.withLock { $0 = observation }
    // From here on this function doesn't hold it.
    _ = consume observation
    OwnThread.start { publisher.updateData(1) }
    try await gate.waitUntilHeld()
    publisher.updateData(2)
    if !isInside { holder.withLock { $0.take() } }
    #expect(!subscription.isActive)
    gate.open()
    await subscription.cancelAndWait()
    #expect(recorder.publications.map(\.version) == [0, 1])
  }

  @Test("scoped() cancels any subscription on release, which still ends with its subscriber")
  func required_3_08_scoped() {
    var scoped: ScopedSubscription? = publisher.subscribe(recorder, on: .immediate).scoped()
    let subscription = scoped?.subscription
    publisher.updateData(1)
    scoped = nil
    #expect(subscription?.isActive == false)
    publisher.updateData(2)
    #expect(recorder.states == [.unknown, .loaded(1)])

    let shortLived: ScopedSubscription
    do {
      let brief = Recorder<Int>()
      shortLived = publisher.subscribe(brief, on: .immediate).scoped()
      #expect(shortLived.isActive)
      withExtendedLifetime(brief) {}
    }
    #expect(!shortLived.isActive)
    #expect(shortLived.cancel() == .alreadyCancelled)
    #expect("\(shortLived)".hasPrefix("scoped Recorder<Int> on immediate of publisher #"))
  }
}
