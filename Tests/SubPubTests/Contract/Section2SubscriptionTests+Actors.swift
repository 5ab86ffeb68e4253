import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 2.05, of actors that are contexts.
extension Section2SubscriptionTests {
  @Test("an actor that is a context is held weakly, and its subscriptions end with it, at once")
  func required_2_05_idleActor() {
    let (captured, executor) = (Deaths(), ManualExecutor())
    weak var probe: ManualHost?
    let subscription: Subscription
    do {
      let (host, token) = (ManualHost(executor), captured.mortal())
      probe = host
      subscription = publisher.subscribe(recorder, on: .actor(host)) { recorder, state in
        recorder.receive(state)
        withExtendedLifetime(token) {}
      }
      publisher.updateData(1)
      executor.runAll()
      #expect(subscription.isActive)
      withExtendedLifetime(host) {}
    }
    #expect(probe == nil)
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 0)
    #expect(captured.count == 1)
    publisher.updateData(2)
    executor.runAll()
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test("what is pending when the actor dies is never delivered, and goes with the closure")
  func required_2_05_pendingActor() {
    let (captured, executor) = (Deaths(), ManualExecutor())
    weak var probe: ManualHost?
    let subscription: Subscription
    do {
      let (host, token) = (ManualHost(executor), captured.mortal())
      probe = host
      subscription = publisher.subscribe(recorder, on: .actor(host)) { recorder, state in
        recorder.receive(state)
        withExtendedLifetime(token) {}
      }
      publisher.updateData(1)
      #expect(subscription.statistics.pending == 2)
    }
    #expect(probe == nil)
    #expect(!subscription.isActive)
    executor.runAll()
    #expect(recorder.states == [])
    #expect(captured.count == 1)
    #expect(subscription.statistics.pending == 0)
    #expect(subscription.statistics.skipped == 2)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("a delivery under way holds the actor, and the last one ends the subscription")
  func required_2_05_heldActor() async throws {
    let (publisher, held, captured) = (publisher, HeldRecorder(), Deaths())
    defer { held.gate.open() }
    let executor = UntimedHost.Executor()
    weak var probe: UntimedHost?
    let (subscription, other): (Subscription, Subscription)
    do {
      let (host, token) = (UntimedHost(executor), captured.mortal())
      probe = host
      subscription = publisher.subscribe(held, on: .actor(host))
      other = publisher.subscribe(recorder, on: .actor(host)) { recorder, state in
        recorder.receive(state)
        withExtendedLifetime(token) {}
      }
      // Not on another thread: that would hold the actor for a moment, to wake the lane.
      publisher.updateData(1)
      await held.gate.waitUntilHeld()
      withExtendedLifetime(host) {}
    }
    #expect(probe != nil)
    #expect(subscription.isActive)
    held.gate.open()
    // Behind the job that delivers, which holds the actor to its end.
    let over = Event()
    executor.queue.async { over.happen() }
    try await over.wait()
    #expect(probe == nil)
    #expect(!subscription.isActive)
    #expect(!other.isActive)
    publisher.updateData(2)
    try await captured.wait()
    #expect(publisher.subscriberCount == 0)
    #expect(held.versions == [0, 1])
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("an actor that subscribes itself is no different")
  func required_2_05_subscribingActor() async throws {
    let (calls, deaths) = (Event(), Deaths())
    let subscription: Subscription
    do {
      let host = MortalHost(deaths.mortal())
      subscription = publisher.subscribe(host) { host, _ in
        host.preconditionIsolated()
        calls.happen()
      }
      publisher.updateData(1)
      await publisher.drain()
      #expect(subscription.isActive)
      withExtendedLifetime(host) {}
    }
    // The runtime holds an actor until the job that delivered has ended.
    try await deaths.wait()
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 0)
    publisher.updateData(2)
    #expect(calls.count == 2)
  }

  /// An actor whose death counts.
  private actor MortalHost {
    private let token: Deaths.Mortal
    init(_ token: Deaths.Mortal) { self.token = token }
  }
}
