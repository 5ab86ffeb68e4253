import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 3.07: `drain(within:)`, and drains of contexts that stand still.
extension Section3CancellationTests {
  @Test("at the limit drain(within:) throws an error that names exactly the late subscriptions")
  func required_3_07_withinLate() async throws {
    let (publisher, clock) = (publisher, ManualClock())
    let (first, second) = (ManualExecutor(), ManualExecutor())
    let (onTime, late, bounded) = (recorder, Recorder<Int>(), Recorder<Int>())
    let served = publisher.subscribe(onTime, on: .executor(first))
    let unserved = publisher.subscribe(late, on: .executor(second))
    let latest = publisher.subscribe(bounded, on: .executor(second), buffering: .latest)
    publisher.updateData(1)
    let trial = Trial { try await publisher.drain(within: .seconds(5), clock: clock) }.run()
    try await clock.waitForSleepers(1)
    first.runAll()
    #expect(!trial.run().isOver)
    clock.advance(by: .seconds(5))
    try? await trial.finish()
    let error = try #require(trial.error as? DrainTimedOut)
    #expect(error.limit == .seconds(5))
    #expect(Set(error.subscriptions) == [unserved, latest])
    #expect("\(error)".hasPrefix("after 5.0 seconds these subscriptions are late: Recorder<Int> on executor"))
    #expect(served.statistics.delivered == 2)
    // The next drain waits again.
    second.runAll()
    try await publisher.drain(within: .seconds(5), clock: clock)
    #expect(bounded.states == [.loaded(1)])
  }

  @Test("a delivery under way is late, and so is an iterator that hasn't taken its state")
  func required_3_07_withinUnderWay() async throws {
    let held = try await HeldDelivery(on: .background)
    let iterator = held.publisher.states().makeAsyncIterator()
    let error = try await #require(throws: DrainTimedOut.self) { try await held.publisher.drain(within: .zero) }
    #expect(error.subscriptions.count == 2)
    #expect(error.subscriptions.contains { $0.statistics.pending == 0 && $0.context == .background })
    #expect(error.subscriptions.contains { $0.statistics.pending == 1 })
    withExtendedLifetime(iterator) {}
  }

  @Test("a clock that fails ends drain(within:) with its error")
  func required_3_07_withinBrokenClock() async {
    let executor = ManualExecutor()
    publisher.subscribe(recorder, on: .executor(executor))
    // A task that never runs would never be freed.
    defer { executor.runAll() }
    await #expect(throws: BrokenClock.Broken.self) {
      try await publisher.drain(within: .seconds(5), clock: BrokenClock())
    }
  }

  @Test(
    "no drain waits at a standstill for a subscriber that dies",
    arguments: [.queue, .independentQueue, .actorOnQueue] as [ContextKind], [false, true])
  func required_3_07_deadAtStandstill(kind: ContextKind, diesMeanwhile: Bool) async throws {
    let place = makePlace(kind)
    place.stop()
    defer { place.resume() }
    var subscriber: Recorder<Int>? = Recorder()
    publisher.subscribe(try #require(subscriber), on: place.context)
    publisher.updateData(1)
    if !diesMeanwhile { subscriber = nil }
    let trial = draining(publisher)
    #expect(!trial.isOver)
    subscriber = nil
    try await trial.finish()
    #expect(publisher.subscriberCount == 0)
  }

  @Test("no drain waits for a dead subscriber behind a cancelled immediate delivery")
  func required_3_07_deadBehindImmediate() async throws {
    let held = try await HeldDelivery(on: .immediate)
    var other: Recorder<Int>? = Recorder()
    held.publisher.subscribe(try #require(other), on: .immediate)
    let trial = draining(held.publisher)
    #expect(!trial.isOver)
    #expect(try await held.cancel() == .inFlight)
    other = nil
    try await trial.finish()
    #expect(held.publisher.subscriberCount == 0)
  }

  @Test("no drain waits at a standstill for an actor that has died")
  func required_3_07_deadActor() async throws {
    let queue: DispatchQueue
    do {
      let place = Place(.actorOnQueue)
      queue = try #require(place.queue)
      place.stop()
      publisher.subscribe(recorder, on: place.context)
      withExtendedLifetime(place) {}
    }
    defer { queue.resume() }
    publisher.updateData(1)
    try await draining(publisher).finish()
    #expect(recorder.states.isEmpty)
  }

  @Test("a cancelled drain leaves nothing behind in a lane that stands still")
  func required_3_07_cancelledDrains() async throws {
    let registry = PublisherRegistry(publisher.id, initial: publisher.current)
    let (queue, subscriber) = (DispatchQueue(label: "standing"), Recorder<Int>())
    queue.suspend()
    defer {
      registry.release()
      queue.resume()
    }
    let subscription = registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.closure), on: .queue(queue), buffering: .unbounded
      ) { _, _ in })
    for _ in 0..<10 {
      let trial = Trial { await registry.drain() }
      #expect(!trial.run().isOver)
      #expect(registry.turn { $0.lanes.all[0].inTurn.drains.count } == 1)
      trial.cancel()
      try await trial.finish()
      #expect(registry.turn { $0.lanes.all[0].inTurn.drains.count } == 0)
    }
    #expect(subscription.isActive)
  }

  @Test("a subscription that has been served isn't late because it receives a later state")
  func required_3_07_withinLaterState() async throws {
    let (publisher, clock, gate, queue) = (publisher, ManualClock(), makeGate(), DispatchQueue(label: "queue"))
    let (held, other) = (makeHeldRecorder(), makeListener())
    publisher.subscribe(held, on: .background)
    try await held.hold(publisher)
    // It waits for the delivery in the other lane, so the drain isn't over.
    let successor = publisher.subscribe(held, on: .queue(queue), ifDuplicate: .replace)
    publisher.subscribe(other, on: .queue(queue)) { _, state in if state == .loaded(3) { gate.pass() } }
    publisher.updateData(2)
    await queue.passed()
    let trial = Trial { try await publisher.drain(within: .seconds(5), clock: clock) }.run()
    try await clock.waitForSleepers(1)
    publisher.updateData(3)
    try await gate.waitUntilHeld()
    clock.advance(by: .seconds(5))
    try? await trial.finish()
    #expect((trial.error as? DrainTimedOut)?.subscriptions == [successor])
  }
}
