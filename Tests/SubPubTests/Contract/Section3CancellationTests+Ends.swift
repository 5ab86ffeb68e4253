import SubPub
import SubPubTesting
import Testing

// Rule 3.10: why a subscription has ended, and when.
extension Section3CancellationTests {
  @Test("a cancel, a replacement, and the release of an observation end it as cancelled")
  func required_3_10_cancelled() async {
    let cancelled = publisher.subscribe(recorder, on: .immediate)
    cancelled.cancel()
    let replaced = publisher.subscribe(recorder, on: .background)
    let successor = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    publisher.unsubscribe(recorder)
    var observation: ScopedSubscription? = publisher.observe(on: .immediate) { _ in }
    let observed = observation?.subscription
    #expect(observed?.end == nil)
    observation = nil
    #expect([cancelled, replaced, successor, observed].map { $0?.end } == Array(repeating: .cancelled, count: 4))
    #expect(await cancelled.ended() == .cancelled)
    // The first reason stays.
    publisher.finish()
    #expect(cancelled.end == .cancelled)
  }

  @Test("the death of the subscriber or of its actor ends it, whoever asks first")
  func required_3_10_released() {
    var brief: Recorder<Int>? = Recorder()
    let executor = ManualExecutor()
    // What was enqueued for the host runs at last, and ends.
    defer { executor.runAll() }
    var host: ManualHost? = ManualHost(executor)
    func subscribe() -> [Subscription] {
      guard let brief, let host else { return [] }
      return [
        publisher.subscribe(brief, on: .background, ifDuplicate: .allow) { _, _ in },
        publisher.subscribe(recorder, on: .actor(host)) { _, _ in },
        publisher.subscribe(host) { _, _ in },
      ]
    }
    let (asked, cancelled, swept) = (subscribe(), subscribe(), subscribe())
    (brief, host) = (nil, nil)
    let expected: [SubscriptionEnd?] = [.subscriberReleased, .contextReleased, .subscriberReleased]
    #expect(asked.map(\.end) == expected)
    for subscription in cancelled { #expect(subscription.cancel() == .alreadyCancelled) }
    #expect(cancelled.map(\.end) == expected)
    #expect(publisher.subscriberCount == 0)
    publisher.finish()
    #expect(swept.map(\.end) == expected)
  }

  @Test("a dead subscriber that its lane finds has ended, too", arguments: ManualPlace.Kind.allCases)
  func required_3_10_foundDead(kind: ManualPlace.Kind) {
    let place = ManualPlace(kind)
    let subscription: Subscription
    do {
      let brief = Recorder<Int>()
      subscription = publisher.subscribe(brief, on: place.context)
      place.serve()
      withExtendedLifetime(brief) {}
    }
    publisher.updateData(1)
    place.serve()
    #expect(subscription.end == .subscriberReleased)
  }

  @Test("ended() waits for the delivery under way, of whoever cancels", arguments: ContextKind.holdable)
  func required_3_10_underWay(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
    let early = Trial { await held.subscription.ended() }
    #expect(!early.run().isOver)
    #expect(try await held.cancel() == .inFlight)
    #expect(held.subscription.end == .cancelled)
    let late = Trial { (await held.subscription.ended(), held.recorder.states) }
    #expect(!early.run().isOver)
    #expect(!late.run().isOver)
    held.gate.open()
    #expect(try await early.finish() == .cancelled)
    let (end, states) = try await late.finish()
    #expect(end == .cancelled)
    #expect(states == [.unknown, .loaded(1)])
    #expect(await held.subscription.ended() == .cancelled)
  }

  @Test("ended() returns nil to a cancelled task, and leaves the others waiting")
  func required_3_10_cancelledTask() async throws {
    let subscription = publisher.subscribe(recorder, on: .immediate)
    let trials = (0..<2).map { _ in Trial { await subscription.ended() } }
    for trial in trials { #expect(!trial.run().isOver) }
    trials[0].cancel()
    #expect(try await trials[0].finish() == nil)
    #expect(!trials[1].run().isOver)
    publisher.finish()
    #expect(try await trials[1].finish() == .publisherEnded)
    // Whether it ends first or not.
    let ended = Trial { await subscription.ended() }
    ended.cancel()
    #expect(try await ended.finish() == .publisherEnded)
  }

  @Test("ended() tells a cancelled task no end while a delivery is under way", arguments: ContextKind.holdable)
  func required_3_10_cancelledUnderWay(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
    #expect(try await held.cancel() == .inFlight)
    let waiting = Trial { await held.subscription.ended() }
    #expect(!waiting.run().isOver)
    waiting.cancel()
    #expect(try await waiting.finish() == nil)
    #expect(held.subscription.end == .cancelled)
    held.gate.open()
    #expect(await held.subscription.ended() == .cancelled)
  }

  @Test("ended() notices that a subscriber has died, although nothing is published")
  func required_3_10_death() async throws {
    let subscription: Subscription
    do {
      let brief = Recorder<Int>()
      subscription = publisher.subscribe(brief, on: makePlace(.queue).context)
      await publisher.drain()
      withExtendedLifetime(brief) {}
    }
    #expect(await subscription.ended() == .subscriberReleased)
    let waiting: Trial<SubscriptionEnd?>
    do {
      let brief = Recorder<Int>()
      let subscription = publisher.subscribe(brief, on: makePlace(.queue).context)
      waiting = Trial { await subscription.ended() }.run()
      withExtendedLifetime(brief) {}
    }
    #expect(try await waiting.finish() == .subscriberReleased)
  }

  @Test("one of many reasons wins, and everybody is told the same", arguments: 0..<50)
  func stochastic_3_10_races(seed: Int) async throws {
    let (publisher, subscriber) = (publisher, Locked<Recorder<Int>?>(Recorder()))
    let subscription = subscriber.withLock { publisher.subscribe($0!, on: .background, buffering: .ending(3)) }
    let waiting = Task.detached { await subscription.ended() }
    let read = Locked<SubscriptionEnd?>(nil)
    try await Race.run(threads: 4) { thread in
      switch (thread + seed) % 4 {
      case 0: subscription.cancel()
      case 1: for number in 0..<20 { publisher.updateData(number) }
      case 2:
        let last = subscriber.withLock { $0.take() }
        withExtendedLifetime(last) {}
      default:
        publisher.finish()
        let end = subscription.end
        read.withLock { $0 = end }
      }
    }
    let end = try #require(await waiting.value)
    #expect(subscription.end == end)
    if let read = read.withLock({ $0 }) { #expect(read == end) }
  }
}
