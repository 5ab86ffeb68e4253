import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 3.07: nobody has to wait for a subscriber that is dead, even if its context doesn't run and nobody else looks.
extension Section3CancellationTests {
  /// A context that doesn't run.
  enum Standstill: String, CaseIterable, Codable, Sendable {
    case suspendedQueue, suspendedIndependentQueue, suspendedActor
  }

  actor StandingActor {
    nonisolated let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    init(_ queue: DispatchQueue) { executor = QueueExecutor(queue) }
  }

  @Test(
    "3.07: who drains doesn't wait for a subscriber that is dead, or dies meanwhile", arguments: Standstill.allCases,
    [false, true])
  func required_3_07_deadAtStandstill(kind: Standstill, diesMeanwhile: Bool) async throws {
    let (publisher, queue) = (publisher, DispatchQueue(label: "standing"))
    queue.suspend()
    defer { queue.resume() }
    var subscriber: Recorder<Int>? = Recorder()
    var host: StandingActor? = StandingActor(queue)
    do {
      let (subscriber, host) = (try #require(subscriber), try #require(host))
      switch kind {
      case .suspendedQueue: publisher.subscribe(subscriber, on: .queue(queue))
      case .suspendedIndependentQueue: publisher.subscribe(subscriber, on: .queue(queue, independent: true))
      case .suspendedActor: publisher.subscribe(subscriber, on: .actor(host))
      }
    }
    publisher.updateData(1)
    if !diesMeanwhile { subscriber = nil }
    let trial = PublishingTests.Trial { await publisher.drain() }
    #expect(!trial.run().isOver)
    subscriber = nil
    try await trial.finish()
    #expect(publisher.subscriberCount == 0)
    withExtendedLifetime(host) {}
    host = nil
  }

  @Test("3.07: nor behind a delivery on the publishing thread that was cancelled")
  func required_3_07_deadBehindImmediate() async throws {
    let held = await HeldDelivery(on: .immediate)
    defer { held.gate.open() }
    var other: Recorder<Int>? = Recorder()
    held.publisher.subscribe(try #require(other), on: .immediate)
    let trial = PublishingTests.Trial { await held.publisher.drain() }
    #expect(!trial.run().isOver)
    #expect(try await held.cancel() == .inFlight)
    other = nil
    try await trial.finish()
    #expect(held.publisher.subscriberCount == 0)
  }

  @Test("3.07: nor for an actor that has died")
  func required_3_07_deadActor() async throws {
    let (publisher, queue, subscriber) = (publisher, DispatchQueue(label: "standing"), Recorder<Int>())
    queue.suspend()
    defer { queue.resume() }
    do {
      let host = StandingActor(queue)
      publisher.subscribe(subscriber, on: .actor(host))
      withExtendedLifetime(host) {}
    }
    publisher.updateData(1)
    try await PublishingTests.Trial { await publisher.drain() }.finish()
    #expect(subscriber.states.isEmpty)
  }

  @Test("3.07: a drain that was cancelled leaves nothing at a lane that stands still")
  func required_3_07_cancelledDrains() async throws {
    let registry = PublisherRegistry(publisher.id, initial: publisher.current)
    let (queue, subscriber) = (DispatchQueue(label: "standing"), Recorder<Int>())
    queue.suspend()
    defer {
      registry.end()
      queue.resume()
    }
    let subscription = registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.closure), on: .queue(queue), buffering: .unbounded
      ) { _, _ in })
    for _ in 0..<10 {
      let trial = PublishingTests.Trial { await registry.drain() }
      #expect(!trial.run().isOver)
      #expect(registry.turn { $0.lanes[0].drains.count } == 1)
      trial.cancel()
      try await trial.finish()
      #expect(registry.turn { $0.lanes[0].drains.count } == 0)
    }
    #expect(subscription.isActive)
  }
}
