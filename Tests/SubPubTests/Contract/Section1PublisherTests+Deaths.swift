import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 1.04: the `deinit` of payloads, errors, closures and subscribers is foreign code too.
extension Section1PublisherTests {
  /// Where the library lets go of a payload.
  enum PayloadDeath: String, CaseIterable, Codable {
    case replaced, reset, overflow, cancelled, subscriberDied, delivered, handedOver, iteratorReleased
  }

  @Test("while a payload dies, others read, publish, subscribe and cancel", arguments: PayloadDeath.allCases)
  func required_1_04_payload(death: PayloadDeath) async {
    let publisher = Publisher<StruckPayload>()
    let intrusion = Intrusion(at: publisher)
    let (executor, recorder) = (ManualExecutor(), Recorder<StruckPayload>())

    let listener = Deaths().mortal()
    // The payload is published, and what keeps it besides the library is gone when this returns.
    func publish() { publisher.updateData(StruckPayload(intrusion)) }

    switch death {
    case .replaced:
      publish()
      intrusion.arm()
      publisher.startLoading()
      publisher.setError(Operation.Failure.offline)
      publisher.setState(.unknown)
    case .reset:
      publish()
      intrusion.arm()
      publisher.reset()
    case .overflow:
      publisher.subscribe(recorder, on: .executor(executor), buffering: .latest)
      publish()
      intrusion.arm()
      // Nobody is left to get it: neither the publisher's state nor the one pending.
      publisher.reset()
    case .cancelled:
      let subscription = publisher.subscribe(recorder, on: .executor(executor))
      publish()
      publisher.reset()
      intrusion.arm()
      #expect(subscription.cancel() == .quiescent)
    case .subscriberDied:
      do {
        let brief = Recorder<StruckPayload>()
        publisher.subscribe(brief, on: .executor(executor))
        publish()
        publisher.reset()
        withExtendedLifetime(brief) {}
      }
      intrusion.arm()
      #expect(publisher.subscriberCount == 0)
    case .delivered:
      publisher.subscribe(listener, on: .executor(executor)) { _, _ in }
      publish()
      publisher.reset()
      intrusion.arm()
      executor.runAll()
    case .handedOver:
      publisher.subscribe(listener, on: .immediate) { [weak publisher] _, state in
        guard case .loaded = state else { return }
        publisher?.reset()
        intrusion.arm()
      }
      publish()
    case .iteratorReleased:
      do {
        let iterator = publisher.states().makeAsyncIterator()
        publish()
        publisher.reset()
        intrusion.arm()
        withExtendedLifetime(iterator) {}
      }
    }
    #expect(intrusion.hasStruck)
    executor.runAll()
    withExtendedLifetime(listener) {}
  }

  @Test(
    "while a payload dies that a held lane had, pending or under way", arguments: ContextKind.holdable, [false, true])
  func required_1_04_payloadOfHeldLane(kind: ContextKind, cancels: Bool) async throws {
    let (place, publisher, gate) = (Place(kind), Publisher<StruckPayload>(), Gate())
    defer { gate.open() }
    let (intrusion, listener) = (Intrusion(at: publisher), Deaths().mortal())
    let subscription = publisher.subscribe(listener, on: place.context) { _, state in
      if state.phase == .loading { gate.pass() }
    }
    OwnThread.start { publisher.startLoading() }
    await gate.waitUntilHeld()
    publisher.updateData(StruckPayload(intrusion))
    publisher.reset()
    intrusion.arm()
    if cancels { #expect(subscription.cancel() == .inFlight) }
    gate.open()
    try await intrusion.wait()
    await publisher.drain()
    withExtendedLifetime(listener) {}
  }

  @Test("while the last payload of a released publisher dies, its subscription can be looked at and cancelled")
  func required_1_04_payloadOfReleasedPublisher() {
    let (executor, listener) = (ManualExecutor(), Deaths().mortal())
    let standing = Locked<Subscription?>(nil)
    let intrusion = Intrusion {
      let subscription = standing.withLock { $0 }
      #expect(subscription?.statistics.delivered == 1)
      #expect(subscription?.cancel() == .alreadyCancelled)
    }
    do {
      let publisher = Publisher<StruckPayload>()
      publisher.updateData(StruckPayload(intrusion))
      let subscription = publisher.subscribe(listener, on: .executor(executor)) { _, _ in }
      standing.withLock { $0 = subscription }
      executor.runAll()
      intrusion.arm()
    }
    #expect(intrusion.hasStruck)
  }

  @Test("while an error dies")
  func required_1_04_error() {
    let intrusion = Intrusion(at: publisher)
    publisher.setError(StruckError(intrusion))
    intrusion.arm()
    publisher.reset()
    #expect(intrusion.hasStruck)
  }

  /// Where the library lets go of a subscriber's closure.
  enum ClosureDeath: String, CaseIterable, Codable {
    case quiescentCancel, heldCancel, reentrantCancel, dead, counted, crowded, replaced, actorDied
  }

  @Test("while what a closure captured dies", arguments: ClosureDeath.allCases)
  func required_1_04_closure(death: ClosureDeath) async throws {
    let (publisher, executor) = (publisher, ManualExecutor())
    let intrusion = Intrusion(at: publisher)
    var listener: Recorder<Int>? = Recorder<Int>()
    @discardableResult func subscribe(on context: DeliveryContext, _ body: @escaping @Sendable () -> Void = {}) throws
      -> Subscription
    {
      let payload = StruckPayload(intrusion)
      return publisher.subscribe(try #require(listener), on: context) { listener, state in
        listener.receive(state)
        withExtendedLifetime(payload, body)
      }
    }
    switch death {
    case .quiescentCancel:
      let subscription = try subscribe(on: .immediate)
      intrusion.arm()
      #expect(subscription.cancel() == .quiescent)
    case .heldCancel:
      let gate = Gate()
      defer { gate.open() }
      let subscription = try subscribe(on: .background) { gate.pass() }
      await gate.waitUntilHeld()
      intrusion.arm()
      #expect(subscription.cancel() == .inFlight)
      #expect(!intrusion.hasStruck)
      gate.open()
      try await intrusion.wait()
    case .reentrantCancel:
      try subscribe(on: .immediate) { [weak publisher] in
        guard let publisher, publisher.current.version == 1 else { return }
        intrusion.arm()
        for subscription in publisher.subscriptions { subscription.cancel() }
      }
      publisher.updateData(1)
    case .dead:
      try subscribe(on: .immediate)
      listener = nil
      intrusion.arm()
      publisher.updateData(1)
    case .counted:
      try subscribe(on: .immediate)
      listener = nil
      intrusion.arm()
      #expect(publisher.subscriberCount == 0)
    case .crowded:
      try subscribe(on: .executor(executor))
      listener = nil
      intrusion.arm()
      for _ in 0..<100 { publisher.subscribe(recorder, on: .immediate, ifDuplicate: .allow) }
    case .replaced:
      let explicit = ExplicitPublisher<Int, any TypedSubscriber<Int>>(publisher) { $0.receive($1) }
      explicit.subscribe(recorder, on: .executor(executor))
      try subscribe(on: .immediate)
      intrusion.arm()
      #expect(publisher.unsubscribe(try #require(listener)) == .quiescent)
      explicit.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    case .actorDied:
      do {
        let host = ManualHost(executor)
        try subscribe(on: .actor(host))
        executor.runAll()
        withExtendedLifetime(host) {}
      }
      intrusion.arm()
      publisher.updateData(1)
    }
    #expect(intrusion.hasStruck)
    executor.runAll()
    withExtendedLifetime(listener) {}
  }

  @Test("while a subscriber dies that only its own delivery still held", arguments: ContextKind.allCases)
  func required_1_04_subscriber(kind: ContextKind) async throws {
    let (place, publisher) = (Place(kind), publisher)
    let intrusion = Intrusion(at: publisher)
    let holder = Locked<StruckPayload?>(StruckPayload(intrusion))
    weak var probe: StruckPayload?
    do {
      let subscriber = try #require(holder.withLock { $0 })
      probe = subscriber
      publisher.subscribe(subscriber, on: place.context) { subscriber, state in
        guard state == .loaded(1) else { return }
        intrusion.arm()
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
      }
    }
    await publisher.drain()
    publisher.updateData(1)
    try await intrusion.wait()
    #expect(intrusion.hasStruck)
    await publisher.drain()
    #expect(probe == nil)
    #expect(publisher.subscriberCount == 0)
  }
}
