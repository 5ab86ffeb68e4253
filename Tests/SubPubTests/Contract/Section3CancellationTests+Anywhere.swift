import SubPub
import SubPubTesting
import Testing

// Rule 3.01: cancels from callbacks and from deinits.
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
}
