import SubPub
import SubPubTesting
import Testing

// Rules 3.02 and 3.03: where a cancel is exact.
extension Section3CancellationTests {
  @Test("nothing runs after a cancel on its own serial context", arguments: ContextKind.serial + [.executor])
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

  @Test("a cancel is exact in any order of a manual executor's jobs", arguments: 0..<20 as Range<UInt64>)
  func required_3_03_manualExecutor(seed: UInt64) {
    let executor = ManualExecutor(seed: seed)
    let count = Locked<Int?>(nil)
    let subscription = publisher.subscribe(recorder, on: .executor(executor))
    for number in 1...3 { executor.schedule { [publisher] in publisher.updateData(number) } }
    executor.schedule { [recorder] in
      #expect(subscription.cancel() == .quiescent)
      count.withLock { $0 = recorder.states.count }
    }
    executor.runAll()
    #expect(count.withLock { $0 } == recorder.states.count)
    #expect(subscription.statistics.pending == 0)
  }

  @Test("a cancel in a callback is exact for every other lane on its serial context", arguments: ContextKind.serial)
  func required_3_03_4_03_insideAnotherLane(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let outcomes = Recorder<CancelOutcome>()
    let subscription = publisher.subscribe(recorder, on: place.independent)
    await publisher.drain()
    publisher.subscribe(outcomes, on: place.context) { [weak publisher] outcomes, state in
      guard state == .unknown else { return }
      publisher?.updateData(1)
      outcomes.receive(.loaded(subscription.cancel()))
    }
    try await outcomes.wait(count: 1)
    await publisher.drain()
    try await place.run {}
    #expect(outcomes.states.first?.value == .quiescent)
    #expect(recorder.states == [.unknown])
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
}
