import SubPub
import SubPubTesting
import Testing

@Suite("Section 3: cancellation", .serialized, .timeLimit(.minutes(2)))
struct Section3CancellationTests {
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()

  @Test("3.01: to cancel again changes nothing", arguments: ContextKind.allCases)
  func required_3_01_idempotent(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let other = Recorder<Int>()
    let subscription = publisher.subscribe(recorder, on: place.context)
    publisher.subscribe(other, on: place.context)
    publisher.updateData(1)
    await publisher.drain()
    #expect(subscription.cancel() == .quiescent)
    let statistics = subscription.statistics
    for _ in 1...3 { #expect(subscription.cancel() == .alreadyCancelled) }
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 1)
    publisher.updateData(2)
    await publisher.drain()
    #expect(subscription.cancel() == .alreadyCancelled)
    #expect(subscription.statistics == statistics)
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(other.states == [.unknown, .loaded(1), .loaded(2)])
  }

  @Test("3.01, 3.02: a delivery under way is not waited for, and none follows it", arguments: ContextKind.holdable)
  func required_3_01_3_02_inFlight(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    held.publisher.updateData(2)
    #expect(try await held.cancel() == .inFlight)
    #expect(held.gate.held == 1)
    // Nothing is said of the delivery that still is under way.
    #expect(try await held.cancel() == .alreadyCancelled)
    held.publisher.updateData(3)
    held.gate.open()
    // The closure goes when the delivery has ended.
    try await held.deaths.wait()
    await held.publisher.drain()
    #expect(held.recorder.states == [.unknown, .loaded(1)])
    #expect(held.subscription.statistics.delivered == 2)
    #expect(held.subscription.statistics.pending == 0)
    #expect(held.subscription.statistics.skipped == 1)
  }

  @Test("3.01, 3.02: without a delivery under way a cancel is quiescent", arguments: ContextKind.allCases)
  func required_3_02_quiescentIdle(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let subscription = publisher.subscribe(recorder, on: place.context)
    publisher.updateData(1)
    await publisher.drain()
    #expect(subscription.cancel() == .quiescent)
    for number in 2...20 { publisher.updateData(number) }
    await publisher.drain()
    // Whatever the context had to do before this.
    try await place.run {}
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("3.02, 3.03: what was queued and has not begun is dropped", arguments: StoppablePlace.Kind.allCases)
  func required_3_02_3_03_quiescentPending(kind: StoppablePlace.Kind) async throws {
    let place = StoppablePlace(kind)
    defer { withExtendedLifetime(place) {} }
    let other = Recorder<Int>()
    let subscription = await place.whileStopped {
      let subscription = publisher.subscribe(recorder, on: place.context)
      publisher.subscribe(other, on: place.context)
      publisher.updateData(1)
      publisher.updateData(2)
      #expect(subscription.statistics.pending == 3)
      #expect(subscription.cancel() == .quiescent)
      #expect(subscription.statistics.pending == 0)
      #expect(subscription.statistics.skipped == 3)
      return subscription
    }
    publisher.updateData(3)
    await publisher.drain()
    #expect(other.states == [.unknown, .loaded(1), .loaded(2), .loaded(3)])
    #expect(recorder.states == [])
    #expect(subscription.statistics.delivered == 0)
  }

  @Test("3.02: behind another's delivery in the lane a cancel is quiescent", arguments: ContextKind.holdableShared)
  func required_3_02_quiescentBehindAnother(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    let subscription = held.publisher.subscribe(recorder, on: held.place.context)
    held.publisher.updateData(2)
    #expect(subscription.statistics.pending == 2)
    let outcome = try await OwnThread.result { subscription.cancel() }
    #expect(outcome == .quiescent)
    #expect(held.gate.held == 1)
    held.gate.open()
    await held.publisher.drain()
    #expect(held.recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(recorder.states == [])
  }

  @Test("3.02, 3.03: inside its own delivery a cancel is reentrant, and none follows", arguments: ContextKind.allCases)
  func required_3_02_3_03_reentrant(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let outcomes = Locked<[CancelOutcome]>([])
    let own = Locked<Subscription?>(nil)
    let end = Event()
    let subscription = publisher.subscribe(recorder, on: place.context) { [publisher] recorder, state in
      recorder.receive(state)
      guard state == .loaded(1) else { return }
      // Pending behind this one.
      publisher.updateData(2)
      let subscription = own.withLock { $0 }
      for _ in 1...2 {
        let outcome = subscription?.cancel()
        outcomes.withLock { $0 += outcome.map { [$0] } ?? [] }
      }
      end.happen()
    }
    own.withLock { $0 = subscription }
    publisher.updateData(1)
    try await end.wait()
    publisher.updateData(3)
    await publisher.drain()
    try await place.run {}
    #expect(outcomes.withLock { $0 } == [.reentrant, .alreadyCancelled])
    #expect(recorder.states == [.unknown, .loaded(1)])
  }
}
