import SubPub
import SubPubTesting
import Synchronization
import Testing

// Rules 3.01 and 3.02: cancels from callbacks, from deinits and from many threads.
extension Section3CancellationTests {
  @Test("a callback of another publisher can cancel", arguments: ContextKind.allCases)
  func required_3_01_otherCallback(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let (other, outcomes) = (Publisher<Int>(), Recorder<CancelOutcome>())
    let subscription = publisher.subscribe(recorder, on: place.context)
    await publisher.drain()
    other.subscribe(outcomes, on: place.context) { outcomes, _ in outcomes.receive(.loaded(subscription.cancel())) }
    try await outcomes.wait(count: 1)
    #expect(outcomes.states.first?.value == .quiescent)
    publisher.updateData(1)
    await publisher.drain()
    #expect(recorder.states == [.unknown])
  }

  /// How the library releases an object that cancels in its `deinit`.
  enum Release: String, CaseIterable, Codable, Sendable {
    case displacedState, skippedState, droppedState, error, closure, transform, endOfPublisher
  }

  @Test("the deinit of a payload, an error or a closure's capture can cancel", arguments: Release.allCases)
  func required_3_01_deinit(release: Release) async throws {
    struct Failure: Error { let action: DeinitAction }
    let outcomes = Locked<[CancelOutcome]>([])
    try await OwnThread.run {
      var publisher: Publisher<DeinitAction>? = Publisher()
      let (target, recorder, executor) = (publisher ?? Publisher(), Recorder<DeinitAction>(), ManualExecutor())
      let subscription = target.subscribe(recorder, on: .immediate) { _, _ in }
      func cancelling() -> DeinitAction {
        DeinitAction {
          let outcome = [subscription.cancel(), subscription.cancel()]
          outcomes.withLock { $0 += outcome }
        }
      }
      switch release {
      case .displacedState:
        target.updateData(cancelling())
        target.reset()
      case .skippedState:
        target.subscribe(recorder, on: .executor(executor), buffering: .latest) { _, _ in }
        target.updateData(cancelling())
        target.reset()
      case .droppedState:
        let slow = target.subscribe(recorder, on: .executor(executor)) { _, _ in }
        target.updateData(cancelling())
        target.reset()
        #expect(outcomes.withLock { $0.isEmpty })
        slow.cancel()
      case .error:
        target.setError(Failure(action: cancelling()))
        target.reset()
      case .closure:
        func holding(_ action: DeinitAction) -> @Sendable (Recorder<DeinitAction>, LoadState<DeinitAction>) -> Void {
          { _, _ in withExtendedLifetime(action) {} }
        }
        target.subscribe(recorder, on: .immediate, handler: holding(cancelling())).cancel()
      case .transform:
        target.updateData(cancelling())
        target.update { _ in .unknown }
      case .endOfPublisher:
        publisher = Publisher()
        publisher?.updateData(cancelling())
        publisher = nil
      }
      #expect(outcomes.withLock { $0 } == [.quiescent, .alreadyCancelled])
      #expect(target.subscriberCount == (release == .skippedState ? 1 : 0))
      executor.runAll()
      withExtendedLifetime((recorder, publisher)) {}
    }
  }

  @Test("a closure's capture can cancel the subscription that held the closure")
  func required_3_01_ownDeinit() async throws {
    let outcomes = Recorder<CancelOutcome>()
    try await OwnThread.run { [publisher, recorder] in
      let own = Locked<Subscription?>(nil)
      let subscription: Subscription
      do {
        let action = DeinitAction {
          if let subscription = own.withLock({ $0 }) { outcomes.receive(.loaded(subscription.cancel())) }
        }
        subscription = publisher.subscribe(recorder, on: .immediate) { _, _ in withExtendedLifetime(action) {} }
      }
      own.withLock { $0 = subscription }
      #expect(subscription.cancel() == .quiescent)
    }
    #expect(outcomes.states == [.loaded(.alreadyCancelled)])
  }

  @Test("exactly one of many concurrent cancels ends the subscription", arguments: ContextKind.allCases)
  func stochastic_3_01_3_02_manyThreads(kind: ContextKind) async throws {
    let place = makePlace(kind)
    for round in 0..<50 {
      let publisher = Publisher<Int>()
      let outcomes = Locked<[CancelOutcome]>([])
      let subscription = publisher.subscribe(recorder, on: place.context) { _, _ in }
      try await Race.run(threads: 4) { thread in
        if thread == 0 { publisher.updateData(round) }
        let outcome = subscription.cancel()
        outcomes.withLock { $0.append(outcome) }
      }
      #expect(outcomes.withLock { $0.filter { $0 != .alreadyCancelled } }.count == 1)
      #expect(publisher.subscriberCount == 0)
    }
  }

  @Test("after quiescent no delivery begins, and after inFlight at most one", arguments: ContextKind.allCases)
  func stochastic_3_02_outcomeHolds(kind: ContextKind) async throws {
    final class Witness: Sendable {
      let isSilenced = Atomic<Bool>(false)
      let late = Atomic<Int>(0)
    }
    let place = makePlace(kind)
    for _ in 0..<100 {
      let publisher = Publisher<Int>()
      let event = Witness()
      let outcome = Locked<CancelOutcome?>(nil)
      let subscription = publisher.subscribe(event, on: place.context) { event, _ in
        if event.isSilenced.load(ordering: .acquiring) { event.late.add(1, ordering: .relaxed) }
      }
      try await Race.run(threads: 3) { thread in
        guard thread == 0 else {
          for number in 1...20 { publisher.updateData(number) }
          return
        }
        let found = subscription.cancel()
        event.isSilenced.store(true, ordering: .releasing)
        outcome.withLock { $0 = found }
      }
      let found = outcome.withLock { $0 }
      await publisher.drain()
      // Waits for a delivery in flight, as drain() doesn't.
      await subscription.cancelAndWait()
      try #require(found == .quiescent || found == .inFlight)
      #expect(event.late.load(ordering: .relaxed) <= (found == .quiescent ? 0 : 1))
    }
  }
}
