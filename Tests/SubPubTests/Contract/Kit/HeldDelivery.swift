import SubPub
import SubPubTesting
import Testing

/// A subscription whose delivery of 1 is held by a gate, and the only one that was ever made at its publisher.
final class HeldDelivery: Sendable {
  let place: Place
  let publisher = Publisher<Int>()
  /// The subscriber. Records a state when its delivery ends.
  let recorder = Recorder<Int>()
  let gate = Gate()
  /// Of what the subscription's closure captures.
  let deaths = Deaths()
  let subscription: Subscription

  /// Cancels on a thread of its own: if that blocked, the wait for it would fail.
  func cancel() async throws -> CancelOutcome { try await OwnThread.result { self.subscription.cancel() } }

  /// The delivery is under way when this returns.
  init(on kind: ContextKind) async {
    place = Place(kind)
    let captured = deaths.mortal()
    subscription = publisher.subscribe(recorder, on: place.context) { [gate] recorder, state in
      if state == .loaded(1) { gate.pass() }
      recorder.receive(state)
      withExtendedLifetime(captured) {}
    }
    OwnThread.start { [publisher] in publisher.updateData(1) }
    await gate.waitUntilHeld()
  }
}
