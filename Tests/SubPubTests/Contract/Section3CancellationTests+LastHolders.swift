import SubPub
import SubPubTesting
import Testing

extension Section3CancellationTests {
  @Test(
    "3.02: a cancel that lets go of the last to hold the subscriber is quiescent",
    arguments: ContextKind.allCases)
  func required_3_02_closureHoldsSubscriber(kind: ContextKind) async {
    let (place, deaths) = (Place(kind), Deaths())
    let subscription: Subscription
    do {
      let mortal = deaths.mortal()
      subscription = publisher.subscribe(mortal, on: place.context) { _, _ in
        withExtendedLifetime(mortal) {}
      }
    }
    await publisher.drain()
    #expect(subscription.isActive)
    #expect(subscription.cancel() == .quiescent)
    #expect(deaths.count == 1)
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test(
    "3.07: nor one that joined its lane later, with the same state as its replay",
    arguments: ContextKind.holdableShared)
  func required_3_07_newcomerInLane(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    let gate = Gate()
    defer {
      held.gate.open()
      gate.open()
    }
    let publisher = held.publisher
    let trial = Trial { await publisher.drain() }.run()
    #expect(!trial.isOver)
    publisher.subscribe(recorder, on: held.place.context) { recorder, state in
      gate.pass()
      recorder.receive(state)
    }
    held.gate.open()
    await gate.waitUntilHeld()
    // The newcomer's replay is under way, and was not asked for.
    try await trial.finish()
    #expect(gate.held == 1)
    gate.open()
    await publisher.drain()
    #expect(recorder.states == [.loaded(1)])
  }
}
