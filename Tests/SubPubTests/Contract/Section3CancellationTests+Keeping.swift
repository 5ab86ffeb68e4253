import SubPub
import SubPubTesting
import Testing

/// What keeps what, and what a publisher's end means.
extension Section3CancellationTests {
  @Test("3.06: releasing the Subscription does not cancel", arguments: ContextKind.allCases)
  func required_3_06_releasedSubscription(kind: ContextKind) async {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    weak var probe: Subscription?
    do {
      let subscription = publisher.subscribe(recorder, on: place.context)
      probe = subscription
      publisher.updateData(1)
      await publisher.drain()
    }
    #expect(probe?.isActive == true)
    publisher.updateData(2)
    await publisher.drain()
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(publisher.subscriberCount == 1)
  }

  @Test("3.06: neither a subscription nor its subscriber keeps the publisher, idle", arguments: ContextKind.allCases)
  func required_3_06_idlePublisher(kind: ContextKind) async throws {
    let (place, deaths) = (Place(kind), Deaths())
    defer { withExtendedLifetime(place) {} }
    weak var probe: Publisher<Int>?
    let subscription: Subscription
    do {
      let (brief, captured) = (Publisher<Int>(), deaths.mortal())
      probe = brief
      subscription = brief.subscribe(recorder, on: place.context) { recorder, state in
        recorder.receive(state)
        withExtendedLifetime(captured) {}
      }
      brief.updateData(1)
      await brief.drain()
    }
    #expect(probe == nil)
    // Every subscription ends, and its closure goes.
    try await deaths.wait()
    #expect(!subscription.isActive)
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("3.06: on one thread everything ends with the release", arguments: ManualPlace.Kind.allCases)
  func required_3_06_endsAtOnce(kind: ManualPlace.Kind) {
    let (place, deaths) = (ManualPlace(kind), Deaths())
    let subscription: Subscription
    do {
      let (brief, captured) = (Publisher<Mortal>(), deaths.mortal())
      subscription = brief.subscribe(recorder, on: place.context) { _, _ in withExtendedLifetime(captured) {} }
      brief.updateData(deaths.mortal())
      place.serve()
      #expect(deaths.count == 0)
      withExtendedLifetime(brief) {}
    }
    // The closure, and the last state.
    #expect(deaths.count == 2)
    #expect(!subscription.isActive)
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test("3.06: nor does a delivery under way", arguments: ContextKind.holdableAsynchronous)
  func required_3_06_heldPublisher(kind: ContextKind) async throws {
    let (place, deaths, gate) = (Place(kind), Deaths(), Gate())
    defer { withExtendedLifetime(place) {} }
    defer { gate.open() }
    weak var probe: Publisher<Int>?
    let subscription: Subscription
    do {
      let (brief, captured) = (Publisher<Int>(), deaths.mortal())
      probe = brief
      subscription = brief.subscribe(recorder, on: place.context) { recorder, state in
        gate.pass()
        recorder.receive(state)
        withExtendedLifetime(captured) {}
      }
      await gate.waitUntilHeld()
      brief.updateData(1)
      brief.updateData(2)
    }
    #expect(probe == nil)
    #expect(subscription.isActive)
    gate.open()
    // What was pending is delivered, and only then it ends.
    try await deaths.wait()
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(!subscription.isActive)
    #expect(subscription.cancel() == .alreadyCancelled)
    #expect(subscription.statistics.pending == 0)
  }

  @Test(
    "3.06: what is pending when the publisher goes is delivered by its policy, the last state always",
    arguments: StoppablePlace.Kind.allCases, BufferingPolicy.oneOfEach)
  func required_3_06_pending(kind: StoppablePlace.Kind, policy: BufferingPolicy) async throws {
    let (place, deaths) = (StoppablePlace(kind), Deaths())
    defer { withExtendedLifetime(place) {} }
    weak var probe: Publisher<Int>?
    let subscription = await place.whileStopped {
      let subscription: Subscription
      do {
        let (brief, captured) = (Publisher<Int>(), deaths.mortal())
        probe = brief
        subscription = brief.subscribe(recorder, on: place.context, buffering: policy) { recorder, state in
          recorder.receive(state)
          withExtendedLifetime(captured) {}
        }
        for number in 1...5 { brief.updateData(number) }
      }
      #expect(probe == nil)
      #expect(subscription.isActive)
      return subscription
    }
    try await deaths.wait()
    #expect(recorder.states == policy.rest(of: [.unknown] + (1...5).map { .loaded($0) }))
    #expect(!subscription.isActive)
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test("3.06: the last to hold a publisher may be one of its own deliveries", arguments: ContextKind.allCases)
  func required_3_06_releasedInside(kind: ContextKind) async throws {
    let (place, deaths) = (Place(kind), Deaths())
    defer { withExtendedLifetime(place) {} }
    let holder = Locked<Publisher<Int>?>(Publisher())
    let subscription = Locked<Subscription?>(nil)
    do {
      let captured = deaths.mortal()
      let made = holder.withLock { $0 }?.subscribe(recorder, on: place.context) { recorder, state in
        if state == .loaded(1) {
          let last = holder.withLock { $0.take() }
          last?.updateData(2)
        }
        recorder.receive(state)
        withExtendedLifetime(captured) {}
      }
      subscription.withLock { $0 = made }
    }
    OwnThread.start { holder.withLock { $0 }?.updateData(1) }
    try await deaths.wait()
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(subscription.withLock { $0 }?.isActive == false)
  }

  @Test("3.06: explicit publishers keep it; delegates get every call that came before the end")
  func required_3_06_faces() async throws {
    let place = StoppablePlace(.queue)
    defer { withExtendedLifetime(place) {} }
    weak var probe: Publisher<Int>?
    weak var groupProbe: MulticastDelegate<Recorder<Int>>?
    let delegate = Recorder<Int>()
    await place.whileStopped {
      let explicit = ExplicitPublisher<Int, Recorder<Int>> { $0.receive($1) }
      let group = MulticastDelegate<Recorder<Int>>()
      (probe, groupProbe) = (explicit.publisher, group)
      explicit.subscribe(recorder, on: place.context)
      group.add(delegate, on: place.context)
      for number in 1...3 {
        explicit.publisher.updateData(number)
        group.call { $0.receive(.loaded(number)) }
      }
    }
    #expect(probe == nil)
    #expect(groupProbe == nil)
    try await recorder.wait(count: 4)
    try await delegate.wait(count: 3)
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2), .loaded(3)])
    #expect(delegate.states == [.loaded(1), .loaded(2), .loaded(3)])
  }
}
