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

  @Test("a delivery under way holds its subscriber until it ends", arguments: ContextKind.holdable)
  func required_2_05_heldDelivery(kind: ContextKind) async throws {
    let (place, publisher, gate, deaths) = (makePlace(kind), publisher, makeGate(), Deaths())
    weak var probe: Deaths.Token?
    var subscriber: Deaths.Token? = deaths.makeToken()
    probe = subscriber
    let subscription = publisher.subscribe(subscriber ?? deaths.makeToken(), on: place.context) { _, state in
      if state == .loaded(1) { gate.pass() }
    }
    OwnThread.start { publisher.updateData(1) }
    try await gate.waitUntilHeld()
    publisher.updateData(2)
    subscriber = nil
    #expect(probe != nil)
    #expect(deaths.count == 0)
    #expect(publisher.subscriberCount == 1)
    gate.open()
    await subscription.cancelAndWait()
    #expect(probe == nil)
    #expect(deaths.count == 1)
    await publisher.drain()
    #expect(publisher.subscriberCount == 0)
  }

  @Test("on an idle lane, too, a subscriber lives until its delivery ends", arguments: ContextKind.allCases)
  func required_2_05_fastDelivery(kind: ContextKind) async {
    let (place, publisher, deaths, during) = (makePlace(kind), publisher, Deaths(), Event())
    let holder = Locked<Deaths.Token?>(deaths.makeToken())
    let subscription: Subscription
    do {
      let subscriber = holder.withLock { $0 } ?? deaths.makeToken()
      subscription = publisher.subscribe(subscriber, on: place.context) { _, state in
        guard state == .loaded(1) else { return }
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
        if deaths.count == 0 { during.happen() }
      }
    }
    await publisher.drain()
    publisher.updateData(1)
    await publisher.drain()
    await subscription.cancelAndWait()
    #expect(during.count == 1)
    #expect(deaths.count == 1)
    #expect(subscription.statistics.delivered == 2)
    #expect(!subscription.isActive)
  }

  @Test("no delivery begins after the subscriber has died", arguments: StoppablePlace.Kind.allCases)
  func required_2_05_pendingDeath(kind: StoppablePlace.Kind) async throws {
    let (place, publisher, deaths, calls) = (makePlace(kind), publisher, Deaths(), Event())
    let captured = Deaths()
    try await place.whileStopped {
      let subscriber = deaths.makeToken()
      publisher.subscribe(subscriber, on: place.context, capturing: captured) { _, _ in calls.happen() }
      for number in 1...5 { publisher.updateData(number) }
      withExtendedLifetime(subscriber) {}
    }
    try #require(deaths.count == 1)
    await publisher.drain()
    #expect(calls.count == 0)
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

  @Test(
    "a dead subscriber's entry and closure are released when its lane is next served", arguments: ContextKind.allCases)
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

  @Test("in a held lane the dead keep their entries until it is served again", arguments: ContextKind.holdableShared)
  func required_2_05_servedAfterHold(kind: ContextKind) async throws {
    let (place, captured) = (makePlace(kind), Deaths())
    let held = try await holdLaneOfDead(on: place.context, captured)
    #expect(captured.count == 0)
    held.gate.open()
    try await captured.wait(count: 10)
    await publisher.drain()
    #expect(held.versions == [0, 1])
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

  @Test("counts never include the dead, even if a delivery holds their lane", arguments: ContextKind.holdableShared)
  func required_2_05_countedWhileHeld(kind: ContextKind) async throws {
    let (place, captured) = (makePlace(kind), Deaths())
    let held = try await holdLaneOfDead(on: place.context, captured)
    subscribeBriefly(10, on: place.context, captured)
    #expect(captured.count == 0)
    #expect(publisher.subscriberCount == 1)
    #expect(publisher.subscriptions.count == 1)
    #expect(captured.count == 20)
    await held.release(publisher)
    #expect(held.versions == [0, 1])
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

  /// Holds a lane, and lets ten of its subscribers die.
  private func holdLaneOfDead(on context: DeliveryContext, _ captured: Deaths) async throws -> HeldRecorder {
    let held = makeHeldRecorder()
    publisher.subscribe(held, on: context)
    let others = subscribe(10, on: context, captured)
    await publisher.drain()
    try await held.hold(publisher)
    withExtendedLifetime(others) {}
    return held
  }
}
