import SubPub
import SubPubTesting
import Testing

/// A recorder that is held in the delivery of one version until its gate opens.
final class HeldRecorder: TypedSubscriber {
  let gate = Gate()
  private let recorder = Recorder<Int>()
  private let heldAt: UInt64
  private let depth = NestingDepth()

  init(at version: UInt64 = 1) { heldAt = version }

  func receive(_ publication: Publication<Int>) {
    depth.enter()
    recorder.receive(publication)
    if publication.version == heldAt { gate.pass() }
    depth.leave()
  }

  /// The versions of all deliveries that have begun.
  var versions: [UInt64] { recorder.publications.map(\.version) }
  /// The most deliveries that ran at once.
  var mostAtOnce: Int { depth.deepest }

  /// Returns when that many deliveries have begun.
  func wait(count: Int) async throws { try await recorder.wait(count: count) }

  /// Publishes `heldAt` on a thread of its own, and returns when the delivery is held.
  func hold(_ publisher: Publisher<Int>) async throws {
    OwnThread.start { publisher.updateData(Int(self.heldAt)) }
    try await gate.waitUntilHeld()
  }

  /// Opens the gate, and returns when everything has been delivered.
  func release(_ publisher: Publisher<Int>) async {
    gate.open()
    await publisher.drain()
  }
}

/// The only subscription of a publisher, held by a gate in the delivery of 1.
final class HeldDelivery: Sendable {
  let place: Place
  let publisher = Publisher<Int>()
  /// The subscriber, which records each state at the end of its delivery.
  let recorder = Recorder<Int>()
  let gate = Gate()
  /// Counts the death of the closure's capture.
  let deaths = Deaths()
  let subscription: Subscription

  /// Returns when the delivery is held.
  init(on kind: ContextKind) async throws {
    place = Place(kind)
    let captured = deaths.makeToken()
    subscription = publisher.subscribe(recorder, on: place.context) { [gate] recorder, state in
      if state == .loaded(1) { gate.pass() }
      recorder.receive(state)
      withExtendedLifetime(captured) {}
    }
    OwnThread.start { [publisher] in publisher.updateData(1) }
    try await gate.waitUntilHeld()
  }

  // A test that fails early leaves no thread behind.
  deinit { gate.open() }

  /// Opens the gate, and returns when everything has been delivered.
  func release() async {
    gate.open()
    await publisher.drain()
  }

  /// Cancels on a thread of its own; a cancel that blocks fails the test.
  func cancel() async throws -> CancelOutcome { try await OwnThread.result { self.subscription.cancel() } }
}
