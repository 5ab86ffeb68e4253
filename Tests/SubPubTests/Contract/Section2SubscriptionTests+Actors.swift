import SubPub
import SubPubTesting
import Testing

// Rule 2.05 for actors that are contexts, and rule 2.03 for actors on borrowed executors.
extension Section2SubscriptionTests {
  @Test("subscriptions and their pending states end as soon as their actor dies", arguments: [true, false])
  func required_2_05_idleActor(isServed: Bool) {
    let (captured, executor) = (Deaths(), ManualExecutor())
    weak var probe: ManualHost?
    let subscription: Subscription
    do {
      let host = ManualHost(executor)
      probe = host
      subscription = publisher.subscribe(recorder, on: .actor(host), capturing: captured) { $0.receive($1) }
      publisher.updateData(1)
      if isServed { executor.runAll() }
      #expect(subscription.statistics.pending == (isServed ? 0 : 2))
      #expect(subscription.isActive)
      withExtendedLifetime(host) {}
    }
    #expect(probe == nil)
    #expect(!subscription.isActive)
    // The job that is still enqueued removes the subscription; without a job, the count does.
    if isServed { #expect(publisher.subscriberCount == 0) } else { executor.runAll() }
    #expect(captured.count == 1)
    #expect(publisher.subscriberCount == 0)
    #expect(subscription.statistics.pending == 0)
    #expect(subscription.statistics.skipped == (isServed ? 0 : 2))
    publisher.updateData(2)
    executor.runAll()
    #expect(recorder.states == (isServed ? [.unknown, .loaded(1)] : []))
    #expect(subscription.cancel() == .alreadyCancelled)
  }

  @Test("a delivery under way holds its actor, and its end ends the subscription")
  func required_2_05_heldActor() throws {
    let (executor, captured) = (ManualExecutor(), Deaths())
    let holder = Locked<ManualHost?>(ManualHost(executor))
    let probe: Weak<ManualHost>
    let (subscription, other): (Subscription, Subscription)
    do {
      let host = try #require(holder.withLock { $0 })
      probe = Weak(host)
      subscription = publisher.subscribe(makeListener(), on: .actor(host)) { [weak publisher] _, state in
        guard state == .loaded(1) else { return }
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
        #expect(probe.object != nil)
        #expect(publisher?.subscriberCount == 2)
      }
      other = publisher.subscribe(recorder, on: .actor(host), capturing: captured) { $0.receive($1) }
    }
    publisher.updateData(1)
    executor.runAll()
    #expect(probe.object == nil)
    #expect(!subscription.isActive)
    #expect(!other.isActive)
    publisher.updateData(2)
    executor.runAll()
    #expect(publisher.subscriberCount == 0)
    #expect(captured.count == 1)
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("the subscription of an actor that subscribes itself ends with it")
  func required_2_05_subscribingActor() async throws {
    let (calls, deaths) = (Event(), Deaths())
    let subscription: Subscription
    do {
      let host = TokenHost(deaths.makeToken())
      subscription = publisher.subscribe(host) { host, _ in
        host.preconditionIsolated()
        calls.happen()
      }
      publisher.updateData(1)
      await publisher.drain()
      #expect(subscription.isActive)
      withExtendedLifetime(host) {}
    }
    // The runtime holds the actor until the job that delivered has ended.
    try await deaths.wait()
    #expect(!subscription.isActive)
    #expect(publisher.subscriberCount == 0)
    publisher.updateData(2)
    #expect(calls.count == 2)
  }

  private actor TokenHost {
    private let token: Deaths.Token
    init(_ token: Deaths.Token) { self.token = token }
  }

  /// An actor on Swift's pool.
  actor PlainHost {}

  /// An actor on the executor of another, or of the main actor.
  actor Borrower {
    private nonisolated let lender: PlainHost?
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe lender?.unownedExecutor ?? MainActor.sharedUnownedExecutor
    }

    init(_ lender: PlainHost?) { self.lender = lender }

    private(set) var states: [LoadState<Int>] = []
    func note(_ state: LoadState<Int>) { states.append(state) }
  }

  @Test("an actor can run on the executor of another, or on the main actor's", arguments: [true, false])
  func required_2_03_borrowedExecutor(fromActor: Bool) async {
    await #expect(processExitsWith: .success) { [fromActor] in
      let (publisher, lender) = (Publisher<Int>(), PlainHost())
      let borrower = Borrower(fromActor ? lender : nil)
      let subscription = publisher.subscribe(borrower) { (borrower: isolated Borrower, state) in
        if fromActor { lender.preconditionIsolated() } else { MainActor.preconditionIsolated() }
        borrower.note(state)
      }
      for number in 1...3 { publisher.updateData(number) }
      await publisher.drain()
      let states = await borrower.states
      guard states == [.unknown, .loaded(1), .loaded(2), .loaded(3)] else { fatalError("\(states)") }
      guard subscription.cancel() == .quiescent else { fatalError("\(subscription)") }
    }
  }
}
