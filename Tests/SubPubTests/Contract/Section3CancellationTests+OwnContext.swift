import SubPub
import SubPubTesting
import Testing

// Rules 3.02 and 3.03: where a cancel is exact.
extension Section3CancellationTests {
  @Test("nothing runs after a cancel on its own serial context", arguments: ContextKind.exclusive + [.executor])
  func required_3_03_ownContext(kind: ContextKind) async throws {
    let place = kind == .executor ? keep(Place.serialExecutor()) : makePlace(kind)
    let subscription = publisher.subscribe(recorder, on: place.context)
    publisher.updateData(1)
    await publisher.drain()
    try await place.run { [publisher, recorder] in
      // This code occupies the context, so the delivery waits.
      publisher.updateData(2)
      #expect(subscription.statistics.pending == 1)
      #expect(subscription.cancel() == .quiescent)
      publisher.updateData(3)
      #expect(recorder.states == [.unknown, .loaded(1)])
    }
    try await place.run {}
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(subscription.statistics.skipped == 1)
  }

  @Test("a cancel between two deliveries of a round is exact for the next one", arguments: ContextKind.holdableShared)
  func required_3_02_3_03_nextInRound(kind: ContextKind) async throws {
    let (place, gate) = (makePlace(kind), makeGate())
    let first = publisher.subscribe(recorder, on: place.context) { _, state in
      if state == .loaded(1) { gate.pass() }
    }
    let next = publisher.subscribe(recorder, on: place.context) { recorder, state in recorder.receive(state) }
    // So that they share a round.
    await publisher.drain()
    OwnThread.start { [publisher] in publisher.updateData(1) }
    try await gate.waitUntilHeld()
    let outcomes = Recorder<CancelOutcome>()
    // The task goes on inside the drain, on its thread.
    Task.detached(executorPreference: InlineExecutor()) {
      await first.cancelAndWait()
      outcomes.receive(.loaded(next.cancel()))
    }
    gate.open()
    try await outcomes.wait(count: 1)
    await publisher.drain()
    #expect(outcomes.states.first?.value == .quiescent)
    #expect(recorder.states == [.unknown])
  }

  @Test("on the main actor remove and unsubscribe are exact")
  @MainActor func required_3_02_3_03_mainActorInterfaces() async {
    let group = MainActorMulticastDelegate<Recorder<Int>>()
    let explicit = MainActorExplicitPublisher<Int, Recorder<Int>>(publisher) { $0.receive($1) }
    group.add(recorder)
    explicit.subscribe(recorder)
    group.call { $0.receive(.loaded(1)) }
    // Both deliveries wait until this function suspends.
    #expect(group.remove(recorder) == .quiescent)
    #expect(explicit.unsubscribe(recorder) == .quiescent)
    group.add(recorder)
    group.call { [weak group] recorder in
      recorder.receive(.loaded(2))
      group?.call { $0.receive(.loaded(3)) }
      let outcome = group?.remove(recorder)
      #expect(outcome == .reentrant)
    }
    await group.drain()
    await publisher.drain()
    #expect(group.count == 0)
    #expect(recorder.states == [.loaded(2)])
    #expect(group.remove(recorder) == .alreadyCancelled)
    #expect(explicit.unsubscribe(recorder) == .alreadyCancelled)
  }
}
