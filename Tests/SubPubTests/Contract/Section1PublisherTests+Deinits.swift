import SubPub
import SubPubTesting
import Testing

// Rule 1.04: no lock is held while payloads, errors, closures and subscribers die.
extension Section1PublisherTests {
  /// Where the library releases a payload.
  enum PayloadRelease: String, CaseIterable, Codable {
    case replaced, error, overflow, cancelled, subscriberDied, delivered, handedOver
    case iteratorReleased
  }

  @Test("no lock is held while a payload or an error dies", arguments: PayloadRelease.allCases)
  func required_1_04_payload(release: PayloadRelease) async {
    let publisher = Publisher<DeinitAction>()
    let probe = LockProbe(at: publisher)
    let (executor, recorder) = (ManualExecutor(), Recorder<DeinitAction>())
    let listener = makeListener()
    // When this returns, only the library holds the payload.
    func publish() { publisher.updateData(DeinitAction(probe.run)) }

    switch release {
    case .replaced:
      publish()
      probe.arm()
      publisher.startLoading()
      publisher.setError(Failure.offline)
      publisher.setState(.unknown)
    case .error:
      publisher.setError(ProbingError(probe))
      probe.arm()
      publisher.reset()
    case .overflow:
      publisher.subscribe(recorder, on: .executor(executor), buffering: .latest)
      publish()
      probe.arm()
      publisher.reset()
    case .cancelled:
      let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: .newest(4))
      for _ in 1...4 { publish() }
      probe.arm()
      #expect(subscription.cancel() == .quiescent)
    case .subscriberDied:
      do {
        let brief = Recorder<DeinitAction>()
        publisher.subscribe(brief, on: .executor(executor))
        publish()
        publisher.reset()
        withExtendedLifetime(brief) {}
      }
      probe.arm()
      #expect(publisher.subscriberCount == 0)
    case .delivered:
      publisher.subscribe(listener, on: .executor(executor)) { _, _ in }
      publish()
      publisher.reset()
      probe.arm()
      executor.runAll()
    case .handedOver:
      publisher.subscribe(listener, on: .immediate) { [weak publisher] _, state in
        guard case .loaded = state else { return }
        publisher?.reset()
        probe.arm()
      }
      publish()
    case .iteratorReleased:
      do {
        let iterator = publisher.states().makeAsyncIterator()
        publish()
        publisher.reset()
        probe.arm()
        withExtendedLifetime(iterator) {}
      }
    }
    #expect(probe.hasRun)
    executor.runAll()
  }

  @Test("no lock is held while a payload of a held lane dies", arguments: ContextKind.holdable, [false, true])
  func required_1_04_payloadOfHeldLane(kind: ContextKind, cancels: Bool) async throws {
    let (place, publisher, gate) = (makePlace(kind), Publisher<DeinitAction>(), makeGate())
    let probe = LockProbe(at: publisher)
    let subscription = publisher.subscribe(makeListener(), on: place.context) { _, state in
      if state.phase == .loading { gate.pass() }
    }
    OwnThread.start { publisher.startLoading() }
    try await gate.waitUntilHeld()
    publisher.updateData(DeinitAction(probe.run))
    publisher.reset()
    probe.arm()
    if cancels { #expect(subscription.cancel() == .inFlight) }
    gate.open()
    try await probe.wait()
    await publisher.drain()
  }

  @Test("others can cancel a subscription while the last payload of its released publisher dies")
  func required_1_04_payloadOfReleasedPublisher() {
    let executor = ManualExecutor()
    let standing = Locked<Subscription?>(nil)
    let probe = LockProbe {
      let subscription = standing.withLock { $0 }
      #expect(subscription?.statistics.delivered == 1)
      #expect(subscription?.cancel() == .alreadyCancelled)
    }
    do {
      let publisher = Publisher<DeinitAction>()
      publisher.updateData(DeinitAction(probe.run))
      let subscription = publisher.subscribe(makeListener(), on: .executor(executor)) { _, _ in }
      standing.withLock { $0 = subscription }
      executor.runAll()
      probe.arm()
    }
    #expect(probe.hasRun)
  }

  /// Where the library releases a subscriber's closure.
  enum ClosureRelease: String, CaseIterable, Codable {
    case quiescentCancel, heldCancel, reentrantCancel, dead, counted, crowded, replaced, actorDied
  }

  @Test("no lock is held while a closure's capture dies", arguments: ClosureRelease.allCases)
  func required_1_04_closure(release: ClosureRelease) async throws {
    let (publisher, executor) = (publisher, ManualExecutor())
    let probe = LockProbe(at: publisher)
    var listener: Recorder<Int>? = Recorder<Int>()
    @discardableResult
    func subscribe(on context: DeliveryContext, _ body: @escaping @Sendable () -> Void = {}) throws -> Subscription {
      let payload = DeinitAction(probe.run)
      return publisher.subscribe(try #require(listener), on: context) { listener, state in
        listener.receive(state)
        withExtendedLifetime(payload, body)
      }
    }
    switch release {
    case .quiescentCancel:
      let subscription = try subscribe(on: .immediate)
      probe.arm()
      #expect(subscription.cancel() == .quiescent)
    case .heldCancel:
      let gate = makeGate()
      let subscription = try subscribe(on: .background) { gate.pass() }
      try await gate.waitUntilHeld()
      probe.arm()
      #expect(subscription.cancel() == .inFlight)
      #expect(!probe.hasRun)
      gate.open()
      try await probe.wait()
    case .reentrantCancel:
      try subscribe(on: .immediate) { [weak publisher] in
        guard let publisher, publisher.current.version == 1 else { return }
        probe.arm()
        for subscription in publisher.subscriptions { subscription.cancel() }
      }
      publisher.updateData(1)
    case .dead:
      try subscribe(on: .immediate)
      listener = nil
      probe.arm()
      publisher.updateData(1)
    case .counted:
      try subscribe(on: .immediate)
      listener = nil
      probe.arm()
      #expect(publisher.subscriberCount == 0)
    case .crowded:
      try subscribe(on: .executor(executor))
      listener = nil
      probe.arm()
      for _ in 0..<100 { publisher.subscribe(recorder, on: .immediate, ifDuplicate: .allow) }
    case .replaced:
      try subscribe(on: .executor(executor))
      probe.arm()
      publisher.subscribe(try #require(listener), on: .immediate, ifDuplicate: .replace) { _, _ in }
    case .actorDied:
      do {
        let host = ManualHost(executor)
        try subscribe(on: .actor(host))
        executor.runAll()
        withExtendedLifetime(host) {}
      }
      probe.arm()
      publisher.updateData(1)
    }
    #expect(probe.hasRun)
    executor.runAll()
    withExtendedLifetime(listener) {}
  }

  @Test(
    "a subscriber that only its delivery holds lives until that ends, and no lock is held while it dies",
    arguments: ContextKind.allCases, [true, false])
  func required_1_04_2_05_subscriber(kind: ContextKind, isIdle: Bool) async throws {
    let (place, publisher) = (makePlace(kind), publisher)
    let probe = LockProbe(at: publisher)
    let holder = Locked<DeinitAction?>(DeinitAction(probe.run))
    let subscription: Subscription
    do {
      let subscriber = try #require(holder.withLock { $0 })
      subscription = publisher.subscribe(subscriber, on: place.context) { [weak publisher] _, state in
        guard state == .loaded(1) else { return }
        probe.arm()
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
        #expect(!probe.hasRun)
        #expect(publisher?.subscriberCount == 1)
      }
    }
    if isIdle { await publisher.drain() }
    publisher.updateData(1)
    try await probe.wait()
    publisher.updateData(2)
    await publisher.drain()
    await subscription.cancelAndWait()
    #expect(subscription.statistics.delivered == 2)
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("if another thread publishes first, the payload that the transform has read can publish in its deinit")
  func required_1_04_overtaken() {
    let publisher = Publisher<DeinitAction>()
    publisher.updateData(DeinitAction { [weak publisher] in publisher?.startLoading() })
    var runs = 0
    publisher.update { _ in
      runs += 1
      // From here on only this update holds the payload.
      if runs == 1 { OwnThread.runBlocking { publisher.reset() } }
      return .unknown
    }
    #expect(runs >= 2)
    #expect(publisher.current.version >= 4)
  }
}
