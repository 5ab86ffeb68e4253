import SubPub
import SubPubTesting
import Testing

// Rule 2.05 for subscribers and their entries.
extension Section2SubscriptionTests {
  @Test("a subscription doesn't keep its subscriber alive", arguments: ContextKind.allCases)
  func required_2_05_weak(kind: ContextKind) async {
    let (place, deaths) = (makePlace(kind), Deaths())
    weak var probe: Deaths.Token?
    var subscriber: Deaths.Token? = deaths.makeToken()
    probe = subscriber
    let subscription = publisher.subscribe(subscriber ?? deaths.makeToken(), on: place.context) { _, _ in }
    for number in 1...5 { publisher.updateData(number) }
    await publisher.drain()
    #expect(probe != nil)
    #expect(subscription.isActive)
    subscriber = nil
    // A delivery releases it before it ends.
    #expect(probe == nil)
    #expect(deaths.count == 1)
    #expect(!subscription.isActive)
    #expect(subscription.cancel() == .alreadyCancelled)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("no delivery begins after the subscriber has died", arguments: ContextKind.stoppable, [true, false])
  func required_2_05_3_02_pendingDeath(kind: ContextKind, cancels: Bool) async throws {
    let (place, publisher, deaths, calls) = (makePlace(kind), publisher, Deaths(), Event())
    let captured = Deaths()
    try await place.whileStopped {
      let subscription: Subscription
      do {
        let subscriber = deaths.makeToken()
        subscription = publisher.subscribe(subscriber, on: place.context, capturing: captured) { _, _ in
          calls.happen()
        }
        for number in 1...5 { publisher.updateData(number) }
        withExtendedLifetime(subscriber) {}
      }
      try #require(deaths.count == 1)
      guard cancels else { return }
      #expect(subscription.cancel() == .alreadyCancelled)
      #expect(subscription.statistics.pending == 0)
    }
    await publisher.drain()
    #expect(publisher.subscriberCount == 0)
    try await captured.wait()
    #expect(calls.count == 0)
  }

  @Test("a round skips a subscriber that dies before its turn", arguments: ContextKind.shared)
  func required_2_05_diesInRound(kind: ContextKind) async {
    let (place, publisher, calls) = (makePlace(kind), publisher, Event())
    let holder = Locked<Deaths.Token?>(Deaths().makeToken())
    publisher.subscribe(recorder, on: place.context) { recorder, state in
      recorder.receive(state)
      guard state == .loaded(1) else { return }
      let last = holder.withLock { $0.take() }
      withExtendedLifetime(last) {}
    }
    do {
      let second = holder.withLock { $0 } ?? Deaths().makeToken()
      publisher.subscribe(second, on: place.context) { _, _ in calls.happen() }
    }
    let third = Recorder<Int>()
    publisher.subscribe(third, on: place.context)
    await publisher.drain()
    for number in 1...3 { publisher.updateData(number) }
    await publisher.drain()
    #expect(calls.count == 1)
    #expect(recorder.states.count == 4)
    #expect(third.states == recorder.states)
  }

  @Test("the entries of the dead go when their lane is next served", arguments: ContextKind.allCases)
  func required_2_05_served(kind: ContextKind) async throws {
    let (place, captured) = (makePlace(kind), Deaths())
    publisher.subscribe(recorder, on: place.context)
    var others = subscribe(10, on: place.context, captured)
    await publisher.drain()
    #expect(others.count == 10)
    others = []
    #expect(captured.count == 0)
    publisher.updateData(1)
    try await captured.wait(count: 10)
    await publisher.drain()
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("the entries of the dead go at the next count or list", arguments: [false, true])
  func required_2_05_counted(lists: Bool) {
    let (executor, captured) = (ManualExecutor(), Deaths())
    publisher.subscribe(recorder, on: .executor(executor))
    subscribeBriefly(10, on: .executor(executor), captured)
    subscribeBriefly(10, on: .immediate, captured)
    #expect(captured.count == 0)
    #expect((lists ? publisher.subscriptions.count : publisher.subscriberCount) == 1)
    #expect(captured.count == 20)
    executor.runAll()
    #expect(recorder.states == [.unknown])
  }

  @Test("subscribing removes the dead when entries exceed twice the living + 32", arguments: [0, 1, 10, 100])
  func required_2_05_crowd(living: Int) {
    let (executor, captured) = (ManualExecutor(), Deaths())
    let standing = (0..<living).map { _ in Recorder<Int>() }
    for recorder in standing { publisher.subscribe(recorder, on: .executor(executor)) }
    let most = mostDead(of: 500, on: .executor(executor), captured)
    // A brief one lives while it subscribes.
    #expect(living + most <= 2 * (living + 1) + 32)
    #expect(publisher.subscriberCount == living)
    #expect(captured.count == 500)
    executor.runAll()
    for recorder in standing { #expect(recorder.states == [.unknown]) }
  }

  @Test("a crowd that has cancelled doesn't count as living", arguments: ManualPlace.Kind.allCases)
  func required_2_05_crowdCancelled(kind: ManualPlace.Kind) {
    let (place, captured) = (ManualPlace(kind), Deaths())
    let crowd = (0..<500).map { _ in publisher.subscribe(recorder, on: place.context) { _, _ in } }
    for subscription in crowd { subscription.cancel() }
    #expect(mostDead(of: 200, on: place.context, captured) <= 2 + 32)
    place.serve()
    #expect(publisher.subscriberCount == 0)
    #expect(captured.count == 200)
  }

  /// Subscribes objects with closures that capture an object each.
  private func subscribe(_ count: Int, on context: DeliveryContext, _ captured: Deaths) -> [Deaths.Token] {
    (0..<count).map { _ in
      let subscriber = Deaths().makeToken()
      publisher.subscribe(subscriber, on: context, capturing: captured)
      return subscriber
    }
  }

  /// Subscribes objects that are dead when this returns.
  private func subscribeBriefly(_ count: Int, on context: DeliveryContext, _ captured: Deaths) {
    for _ in 0..<count {
      let brief = subscribe(1, on: context, captured)
      withExtendedLifetime(brief) {}
    }
  }

  /// Subscribes brief objects one by one, and returns the most that were dead and still had an entry.
  private func mostDead(of count: Int, on context: DeliveryContext, _ captured: Deaths) -> Int {
    (1...count).reduce(0) { most, number in
      subscribeBriefly(1, on: context, captured)
      return max(most, number - captured.count)
    }
  }
}
