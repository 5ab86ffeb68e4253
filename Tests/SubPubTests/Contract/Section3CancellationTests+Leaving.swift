import SubPub
import SubPubTesting
import Testing

// Rules 3.01, 3.02 and 3.05: `unsubscribe`, also in the subscriber's `deinit`, and the executors of subscriptions.
extension Section3CancellationTests {
  @Test("unsubscribe ends subscriptions of every kind and leaves other objects alone", arguments: [0, 100])
  func required_3_02_everyInterface(others: Int) {
    let crowd = (0..<others).map { _ in Recorder<Int>() }
    for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
    let explicit = ExplicitPublisher<Int, any Subscriber>(publisher) { _, _ in }
    let listener = Listener()
    #expect(publisher.unsubscribe(listener) == .alreadyCancelled)
    let subscriptions = [
      publisher.subscribe(listener, on: .immediate), publisher.subscribe(listener, on: .background) { _, _ in },
      explicit.subscribe(listener, on: .immediate),
    ]
    #expect(publisher.subscriberCount == others + 3)
    #expect(publisher.unsubscribe(listener) != .alreadyCancelled)
    #expect(subscriptions.allSatisfy { !$0.isActive })
    #expect(publisher.subscriberCount == others)
    #expect(publisher.unsubscribe(listener) == .alreadyCancelled)
    withExtendedLifetime(crowd) {}
  }

  /// A subscriber that unsubscribes in its deinit.
  final class Leaver: TypedSubscriber {
    private let outcomes: Journal<CancelOutcome>
    private let leave: @Sendable (Leaver) -> CancelOutcome

    init(_ outcomes: Journal<CancelOutcome>, leave: @escaping @Sendable (Leaver) -> CancelOutcome) {
      (self.outcomes, self.leave) = (outcomes, leave)
    }

    func receive(_ state: LoadState<Int>) {}

    deinit { outcomes.add(leave(self)) }
  }

  @Test("in its deinit an object can leave whatever it has subscribed to", arguments: [0, 100])
  func required_3_01_subscribersDeinit(others: Int) async {
    let outcomes = Journal<CancelOutcome>()
    let crowd = (0..<others).map { _ in Recorder<Int>() }
    for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
    let explicit = ExplicitPublisher<Int, any TypedSubscriber<Int>>(publisher) { $0.receive($1) }
    let group = MulticastDelegate<any TypedSubscriber<Int>>()
    do {
      let leaver = Leaver(outcomes) { [publisher] in
        _ = explicit.unsubscribe($0)
        _ = group.remove($0)
        return publisher.unsubscribe($0)
      }
      publisher.subscribe(leaver, on: .immediate)
      explicit.subscribe(leaver, on: .background)
      group.add(leaver, on: .background)
      #expect(publisher.subscriberCount == others + 2)
      // A delivery would keep it alive.
      await publisher.drain()
      withExtendedLifetime(leaver) {}
    }
    #expect(outcomes.entries == [.alreadyCancelled])
    #expect(publisher.subscriberCount == others)
    #expect(group.count == 0)
    publisher.updateData(1)
    withExtendedLifetime(crowd) {}
  }

  @Test("that deinit can run inside the object's own delivery, which held the last reference")
  func required_3_01_deinitInsideDelivery() async {
    let outcomes = Journal<CancelOutcome>()
    let holder = Locked<Leaver?>(nil)
    let recorder = Recorder<Int>()
    do {
      let leaver = Leaver(outcomes) { [publisher] in publisher.unsubscribe($0) }
      holder.withLock { $0 = leaver }
      publisher.subscribe(leaver, on: .immediate) { _, state in
        guard state == .loaded(1) else { return }
        let last = holder.withLock { $0.take() }
        withExtendedLifetime(last) {}
      }
      publisher.subscribe(recorder, on: .immediate)
    }
    publisher.updateData(1)
    #expect(outcomes.entries.count == 1)
    publisher.updateData(2)
    #expect(publisher.subscriberCount == 1)
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
  }

  @Test("an executor goes with its subscriptions", arguments: zip([true, false], [1, 40]))
  func required_3_05_3_06_executor(cancels: Bool, count: Int) {
    weak var probe: ManualExecutor?
    let recorders = (0..<count).map { _ in Recorder<Int>() }
    var publisher: Publisher<Int>? = Publisher()
    do {
      let executor = ManualExecutor()
      probe = executor
      let subscriptions = recorders.compactMap { publisher?.subscribe($0, on: .executor(executor)) }
      executor.runAll()
      #expect(publisher?.subscriberCount == count)
      if cancels { for subscription in subscriptions { #expect(subscription.cancel() == .quiescent) } }
    }
    if !cancels { publisher = nil }
    #expect(probe == nil)
    withExtendedLifetime((publisher, recorders)) {}
  }
}
