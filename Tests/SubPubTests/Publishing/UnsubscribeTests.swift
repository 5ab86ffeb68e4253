import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("unsubscribe ends every subscription of an object, and may be called from its deinit")
  struct UnsubscribeTests {
    let publisher = Publisher<Int>()

    @Test("through whatever face it subscribed; others stay", arguments: [0, 100])
    func required_3_02_everyFace(others: Int) {
      final class Listener: Subscriber {
        func receive(_ publication: any AnyPublication) {}
      }
      let crowd = (0..<others).map { _ in Recorder<Int>() }
      for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
      let explicit = ExplicitPublisher<Int, any Subscriber>(publisher) { _, _ in }
      let listener = Listener()
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

    @Test("a stranger has nothing to end")
    func required_3_02_stranger() {
      #expect(publisher.unsubscribe(Recorder<Int>()) == .alreadyCancelled)
      #expect(publisher.unsubscribe(publisher) == .alreadyCancelled)
    }

    @Test("from inside a delivery it is reentrant, and no delivery follows")
    func required_3_02_reentrant() {
      final class Once: Sendable {
        let outcomes = Locked<[CancelOutcome]>([])
      }
      let once = Once()
      publisher.subscribe(once, on: .immediate) { [publisher] once, _ in
        let outcome = publisher.unsubscribe(once)
        once.outcomes.withLock { $0.append(outcome) }
      }
      publisher.updateData(1)
      #expect(once.outcomes.withLock { $0 } == [.reentrant])
      #expect(publisher.subscriberCount == 0)
    }

    /// Leaves in its last moment.
    final class Leaver: TypedSubscriber {
      private let publisher: Publisher<Int>
      private let leave: @Sendable (Leaver) -> CancelOutcome
      private let outcomes: Locked<[CancelOutcome]>

      init(
        _ publisher: Publisher<Int>, outcomes: Locked<[CancelOutcome]>,
        leave: @escaping @Sendable (Leaver) -> CancelOutcome
      ) {
        self.publisher = publisher
        self.outcomes = outcomes
        self.leave = leave
      }

      func receive(_ state: LoadState<Int>) {}

      deinit {
        let outcome = leave(self)
        outcomes.withLock { $0.append(outcome) }
      }
    }

    @Test("in its deinit an object may leave a publisher, an explicit publisher and a group", arguments: [0, 100])
    func required_3_01_deinit(others: Int) async {
      let outcomes = Locked<[CancelOutcome]>([])
      let crowd = (0..<others).map { _ in Recorder<Int>() }
      for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
      let explicit = ExplicitPublisher<Int, any TypedSubscriber<Int>>(publisher) { $0.receive($1) }
      let group = MulticastDelegate<any TypedSubscriber<Int>>()
      do {
        let leaver = Leaver(publisher, outcomes: outcomes) { [publisher] in
          _ = explicit.unsubscribe($0)
          _ = group.remove($0)
          return publisher.unsubscribe($0)
        }
        publisher.subscribe(leaver, on: .immediate)
        explicit.subscribe(leaver, on: .background)
        group.add(leaver, on: .background)
        #expect(publisher.subscriberCount == others + 2)
        // A delivery under way would hold it.
        await publisher.drain()
        withExtendedLifetime(leaver) {}
      }
      // They ended with it.
      #expect(outcomes.withLock { $0 } == [.alreadyCancelled])
      #expect(publisher.subscriberCount == others)
      #expect(group.count == 0)
      publisher.updateData(1)
      withExtendedLifetime(crowd) {}
    }

    @Test("also when the publisher's own delivery was the last to hold it")
    func required_3_01_deinitInsideDelivery() async {
      let outcomes = Locked<[CancelOutcome]>([])
      let holder = Locked<Leaver?>(nil)
      let recorder = Recorder<Int>()
      do {
        let leaver = Leaver(publisher, outcomes: outcomes) { [publisher] in publisher.unsubscribe($0) }
        holder.withLock { $0 = leaver }
        publisher.subscribe(leaver, on: .immediate) { _, state in
          guard state == .loaded(1) else { return }
          let last = holder.withLock { $0.take() }
          withExtendedLifetime(last) {}
        }
        publisher.subscribe(recorder, on: .immediate)
      }
      publisher.updateData(1)
      #expect(outcomes.withLock { $0.count } == 1)
      publisher.updateData(2)
      #expect(publisher.subscriberCount == 1)
      #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    }
  }
}
