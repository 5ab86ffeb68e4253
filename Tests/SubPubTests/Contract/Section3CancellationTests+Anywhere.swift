import SubPub
import SubPubTesting
import Testing

// Rule 3.01: cancels from deinits.
extension Section3CancellationTests {
  /// How the library releases an object that cancels in its `deinit`.
  enum Release: String, CaseIterable, Codable, Sendable { case displacedState, closure, endOfPublisher }

  @Test("the deinit of a payload or a closure's capture can cancel", arguments: Release.allCases)
  func required_3_01_deinit(release: Release) async throws {
    let outcomes = Locked<[CancelOutcome]>([])
    try await OwnThread.run {
      let (target, recorder) = (Publisher<DeinitAction>(), Recorder<DeinitAction>())
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
      case .closure:
        func holding(_ action: DeinitAction) -> @Sendable (Recorder<DeinitAction>, LoadState<DeinitAction>) -> Void {
          { _, _ in withExtendedLifetime(action) {} }
        }
        target.subscribe(recorder, on: .immediate, handler: holding(cancelling())).cancel()
      case .endOfPublisher:
        Publisher().updateData(cancelling())
      }
      #expect(outcomes.withLock { $0 } == [.quiescent, .alreadyCancelled])
      #expect(target.subscriberCount == 0)
      withExtendedLifetime(recorder) {}
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
