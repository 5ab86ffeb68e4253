import SubPub
import SubPubTesting
import Synchronization
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

  /// Two threads: one publishes, and tells the other in the middle of each round to cancel.
  private final class CancelRace: Sendable {
    /// The round in which the cancel is due, and the last one in which it has run.
    let due = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let next = Locked<Subscription?>(nil)
    let outcome = Locked<CancelOutcome?>(nil)
    let calls = Atomic<Int>(0)

    /// Runs a round, and returns the outcome of the second subscription's cancel and the number of its calls.
    ///
    /// The first delivery cancels itself, which makes the serving thread take a turn before the second one.
    func publish(_ number: Int, at publisher: Publisher<Int>, to subscriber: Event) -> (CancelOutcome?, Int) {
      let first = Locked<Subscription?>(nil)
      let made = publisher.subscribe(subscriber, on: .immediate) { [self] _, state in
        guard state == .loaded(number) else { return }
        first.withLock { $0.take() }?.cancel()
        due.store(number, ordering: .releasing)
        // Some nanoseconds, a different number each time.
        for _ in 0..<number % 100 { _ = due.load(ordering: .acquiring) }
      }
      first.withLock { $0 = made }
      calls.store(0, ordering: .relaxed)
      let subscription = publisher.subscribe(subscriber, on: .immediate) { [self] _, state in
        if state == .loaded(number) { calls.add(1, ordering: .relaxed) }
      }
      next.withLock { $0 = subscription }
      publisher.updateData(number)
      while done.load(ordering: .acquiring) < number {}
      return (outcome.withLock { $0 }, calls.load(ordering: .relaxed))
    }

    /// Cancels in each round until the last.
    func cancel() {
      var number = 1
      while true {
        while due.load(ordering: .acquiring) < number { if isOver.load(ordering: .acquiring) { return } }
        let found = next.withLock { $0 }?.cancel()
        outcome.withLock { $0 = found }
        done.store(number, ordering: .releasing)
        number += 1
      }
    }
  }

  @Test("a cancel between two deliveries of a round is in flight only if the second one runs")
  func stochastic_3_02_nextInRound() async throws {
    let (publisher, subscriber, race, time) = (publisher, Event(), CancelRace(), ContinuousClock())
    let faults = Locked<[String]>([])
    try await Race.run(threads: 2) { thread in
      guard thread == 0 else { return race.cancel() }
      defer { race.isOver.store(true, ordering: .releasing) }
      // Many, so that some come in the nanoseconds in which a delivery begins.
      let end = time.now + .seconds(5)
      var (number, inFlight) = (0, 0)
      while inFlight < 500, time.now < end, faults.withLock({ $0.isEmpty }) {
        number += 1
        let (outcome, calls) = race.publish(number, at: publisher, to: subscriber)
        if outcome == .inFlight { inFlight += 1 }
        let isTrue = outcome == .inFlight ? calls == 1 : outcome == .quiescent && calls <= 1
        if !isTrue { faults.withLock { $0.append("round \(number): \(String(describing: outcome)), \(calls) calls") } }
      }
    }
    #expect(faults.withLock { $0 } == [])
  }
}
