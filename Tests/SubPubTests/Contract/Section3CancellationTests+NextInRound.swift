import SubPub
import SubPubTesting
import Synchronization
import Testing

/// Between two deliveries of a round, when a cancel has asked the drain to look at its lane.
extension Section3CancellationTests {
  /// The task that waits goes on inside the drain, on its thread.
  @Test(
    "3.02, 3.03: when the wait for a delivery ends, the next in the round hasn't begun: to cancel it then is exact",
    arguments: ContextKind.holdableShared)
  func required_3_02_3_03_nextInRound(kind: ContextKind) async throws {
    let (place, gate) = (Place(kind), Gate())
    defer { withExtendedLifetime(place) {} }
    defer { gate.open() }
    let first = publisher.subscribe(recorder, on: place.context) { _, state in
      if state == .loaded(1) { gate.pass() }
    }
    let next = publisher.subscribe(recorder, on: place.context) { recorder, state in recorder.receive(state) }
    // So that they have one round in common.
    await publisher.drain()
    OwnThread.start { [publisher] in publisher.updateData(1) }
    await gate.waitUntilHeld()
    let outcomes = Recorder<CancelOutcome>()
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

  @Test("3.02: a delivery that begins after such a look is under way", arguments: ContextKind.holdableShared)
  func required_3_02_underWayAfterLook(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let gates = [Gate(), Gate()]
    defer { for gate in gates { gate.open() } }
    let subscriptions = gates.map { gate in
      publisher.subscribe(recorder, on: place.context) { _, state in
        if state == .loaded(1) { gate.pass() }
      }
    }
    await publisher.drain()
    OwnThread.start { [publisher] in publisher.updateData(1) }
    for (gate, subscription) in zip(gates, subscriptions) {
      await gate.waitUntilHeld()
      let outcome = try await OwnThread.result { subscription.cancel() }
      #expect(outcome == .inFlight)
      gate.open()
    }
    await publisher.drain()
  }

  /// Two threads that take turns: one publishes, and tells the other in the middle of the round to cancel.
  private final class Duel: Sendable {
    /// The number of the round in which the cancel is due, and of the last in which it has been done.
    let due = Atomic<Int>(0)
    let done = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
    let next = Locked<Subscription?>(nil)
    let outcome = Locked<CancelOutcome?>(nil)
    let calls = Atomic<Int>(0)

    /// One round: the first delivery cancels itself, so that the drain looks at its lane before the next one. Returns
    /// what the cancel of the next one has said, and how often that was called.
    func publish(_ number: Int, at publisher: Publisher<Int>, to subscriber: Event) -> (CancelOutcome?, Int) {
      let first = Locked<Subscription?>(nil)
      let made = publisher.subscribe(subscriber, on: .immediate) { [self] _, state in
        guard state == .loaded(number) else { return }
        first.withLock { $0.take() }?.cancel()
        due.store(number, ordering: .releasing)
        // For some nanoseconds, other ones each time.
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

    /// Cancels in each round until there are no more.
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

  @Test("3.02: a cancel between two deliveries of a round is in flight only if the second one comes")
  func stochastic_3_02_nextInRound() async throws {
    let (publisher, subscriber, duel, time) = (publisher, Event(), Duel(), ContinuousClock())
    let faults = Locked<[String]>([])
    try await Race.run(threads: 2) { thread in
      guard thread == 0 else { return duel.cancel() }
      defer { duel.isOver.store(true, ordering: .releasing) }
      // So many that some come in the nanoseconds between the two steps of one begin; for 5 seconds at most.
      let end = time.now + .seconds(5)
      var (number, inFlight) = (0, 0)
      while inFlight < 500, time.now < end, faults.withLock({ $0.isEmpty }) {
        number += 1
        let (outcome, calls) = duel.publish(number, at: publisher, to: subscriber)
        if outcome == .inFlight { inFlight += 1 }
        let isTrue = outcome == .inFlight ? calls == 1 : outcome == .quiescent && calls <= 1
        if !isTrue { faults.withLock { $0.append("round \(number): \(String(describing: outcome)), \(calls) calls") } }
      }
    }
    #expect(faults.withLock { $0 } == [])
  }
}
