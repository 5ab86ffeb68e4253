import SubPub
import SubPubTesting
import Testing

// Rule 2.05, of subscribers and their entries. Actors are in a file of their own.
extension Section2SubscriptionTests {
  @Test("a subscription doesn't keep its subscriber, whether it was served or not", arguments: ContextKind.allCases)
  func required_2_05_weak(kind: ContextKind) async {
    let (place, deaths) = (Place(kind), Deaths())
    weak var probe: Deaths.Mortal?
    var subscriber: Deaths.Mortal? = deaths.mortal()
    probe = subscriber
    let subscription = publisher.subscribe(subscriber ?? deaths.mortal(), on: place.context) { _, _ in }
    for number in 1...5 { publisher.updateData(number) }
    await publisher.drain()
    #expect(probe != nil)
    #expect(subscription.isActive)
    subscriber = nil
    // At once: a delivery lets go of it before it ends.
    #expect(probe == nil)
    #expect(deaths.count == 1)
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 0)
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test("a delivery under way holds its subscriber, until it has ended", arguments: ContextKind.holdable)
  func required_2_05_heldDelivery(kind: ContextKind) async {
    let (place, publisher, gate, deaths) = (Place(kind), publisher, Gate(), Deaths())
    defer { gate.open() }
    weak var probe: Deaths.Mortal?
    var subscriber: Deaths.Mortal? = deaths.mortal()
    probe = subscriber
    let subscription = publisher.subscribe(subscriber ?? deaths.mortal(), on: place.context) { _, state in
      if state == .loaded(1) { gate.pass() }
    }
    OwnThread.start { publisher.updateData(1) }
    await gate.waitUntilHeld()
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

  @Test("also on an idle lane: it is there inside the delivery, and gone after it", arguments: ContextKind.allCases)
  func required_2_05_fastDelivery(kind: ContextKind) async {
    let (place, publisher, deaths, during) = (Place(kind), publisher, Deaths(), Event())
    let holder = Locked<Deaths.Mortal?>(deaths.mortal())
    let subscription: Subscription
    do {
      let subscriber = holder.withLock { $0 } ?? deaths.mortal()
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

  @Test(
    "no delivery begins after the subscriber has died, whatever is pending", arguments: StoppablePlace.Kind.allCases)
  func required_2_05_pendingDeath(kind: StoppablePlace.Kind) async throws {
    let (place, publisher, deaths, calls) = (StoppablePlace(kind), publisher, Deaths(), Event())
    let captured = Deaths()
    await place.whileStopped {
      let (subscriber, token) = (deaths.mortal(), captured.mortal())
      publisher.subscribe(subscriber, on: place.context) { _, _ in
        calls.happen()
        withExtendedLifetime(token) {}
      }
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

  @Test("nor in a round that is under way already", arguments: ContextKind.shared)
  func required_2_05_diesInRound(kind: ContextKind) async {
    let (place, publisher, calls) = (Place(kind), publisher, Event())
    let holder = Locked<Deaths.Mortal?>(Deaths().mortal())
    publisher.subscribe(recorder, on: place.context) { recorder, state in
      recorder.receive(state)
      guard state == .loaded(1) else { return }
      let last = holder.withLock { $0.take() }
      withExtendedLifetime(last) {}
    }
    do {
      let second = holder.withLock { $0 } ?? Deaths().mortal()
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

  @Test("a dead one's entry goes, with its closure, when its lane is next served", arguments: ContextKind.allCases)
  func required_2_05_served(kind: ContextKind) async throws {
    let (place, captured) = (Place(kind), Deaths())
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

  @Test("in a lane that is held it stays until that is served again", arguments: ContextKind.holdableShared)
  func required_2_05_servedAfterHold(kind: ContextKind) async throws {
    let (place, captured, held) = (Place(kind), Deaths(), HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    var others = subscribe(10, on: place.context, captured)
    await publisher.drain()
    await held.hold(publisher)
    #expect(others.count == 10)
    others = []
    #expect(captured.count == 0)
    held.gate.open()
    try await captured.wait(count: 10)
    await publisher.drain()
    #expect(held.versions == [0, 1])
  }

  @Test("it goes at the next count, or list", arguments: [false, true])
  func required_2_05_counted(lists: Bool) {
    let (executor, captured) = (ManualExecutor(), Deaths())
    publisher.subscribe(recorder, on: .executor(executor))
    subscribeBriefly(10, on: .executor(executor), captured)
    subscribeBriefly(10, on: .immediate, captured)
    #expect(captured.count == 0)
    if lists {
      #expect(publisher.subscriptions.count == 1)
    } else {
      #expect(publisher.subscriberCount == 1)
    }
    #expect(captured.count == 20)
    executor.runAll()
    #expect(recorder.states == [.unknown])
  }

  @Test("counts never include the dead, though a delivery held their lane", arguments: ContextKind.holdableShared)
  func required_2_05_countedWhileHeld(kind: ContextKind) async {
    let (place, captured, held) = (Place(kind), Deaths(), HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    var others = subscribe(10, on: place.context, captured)
    await publisher.drain()
    await held.hold(publisher)
    #expect(others.count == 10)
    others = []
    subscribeBriefly(10, on: place.context, captured)
    #expect(captured.count == 0)
    #expect(publisher.subscriberCount == 1)
    #expect(publisher.subscriptions.count == 1)
    #expect(captured.count == 20)
    held.gate.open()
    await publisher.drain()
    #expect(held.versions == [0, 1])
  }

  @Test("it goes at a subscribe that finds more entries than twice the living + 32", arguments: [0, 1, 10, 100])
  func required_2_05_crowd(living: Int) {
    let (executor, captured) = (ManualExecutor(), Deaths())
    let standing = (0..<living).map { _ in Recorder<Int>() }
    for recorder in standing { publisher.subscribe(recorder, on: .executor(executor)) }
    // Nothing is ever served, and nobody counts.
    var most = 0
    for number in 1...500 {
      subscribeBriefly(1, on: .executor(executor), captured)
      most = max(most, number - captured.count)
    }
    // The brief one lives while it subscribes.
    #expect(living + most <= 2 * (living + 1) + 32)
    #expect(publisher.subscriberCount == living)
    #expect(captured.count == 500)
    executor.runAll()
    for recorder in standing { #expect(recorder.states == [.unknown]) }
  }

  @Test("the same after a larger crowd has cancelled: only the living count", arguments: ManualPlace.Kind.allCases)
  func required_2_05_crowdCancelled(kind: ManualPlace.Kind) {
    let (place, captured) = (ManualPlace(kind), Deaths())
    let crowd = (0..<500).map { _ in publisher.subscribe(recorder, on: place.context) { _, _ in } }
    for subscription in crowd { subscription.cancel() }
    var most = 0
    for number in 1...200 {
      subscribeBriefly(1, on: place.context, captured)
      most = max(most, number - captured.count)
    }
    #expect(most <= 2 + 32)
    place.serve()
    #expect(publisher.subscriberCount == 0)
    #expect(captured.count == 200)
  }

  /// Subscribes so many objects, with closures that have captured something.
  private func subscribe(_ count: Int, on context: DeliveryContext, _ captured: Deaths) -> [Deaths.Mortal] {
    (0..<count).map { _ in
      let (subscriber, token) = (Deaths().mortal(), captured.mortal())
      publisher.subscribe(subscriber, on: context) { _, _ in withExtendedLifetime(token) {} }
      return subscriber
    }
  }

  /// The same; they are dead when this returns.
  private func subscribeBriefly(_ count: Int, on context: DeliveryContext, _ captured: Deaths) {
    for _ in 0..<count {
      let brief = subscribe(1, on: context, captured)
      withExtendedLifetime(brief) {}
    }
  }
}
