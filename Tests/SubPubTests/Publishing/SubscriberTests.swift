import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("A publisher counts, lists and releases its subscribers")
  struct SubscriberTests {
    let publisher = Publisher<Int>(label: "numbers")

    @Test("every subscription of an object counts until it is cancelled")
    func required_2_06_counted() {
      let recorder = Recorder<Int>()
      let first = publisher.subscribe(recorder, on: .immediate)
      publisher.subscribe(recorder, on: .immediate)
      #expect(publisher.subscriberCount == 1)
      let second = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .allow)
      let third = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
      #expect(publisher.subscriberCount == 3)
      #expect(Set(publisher.subscriptions) == [first, second, third])
      first.cancel()
      third.cancel()
      #expect(publisher.subscriberCount == 1)
      #expect(publisher.subscriptions == [second])
      withExtendedLifetime(recorder) {}
    }

    @Test("the list tells the class of each subscriber, its publisher, its context and its policy")
    func subscriptions() throws {
      final class Listener: Sendable {}
      let listener = Listener()
      publisher.subscribe(listener, on: .background, buffering: .newest(3)) { _, _ in }
      let subscription = try #require(publisher.subscriptions.first)
      #expect(publisher.subscriptions.count == 1)
      #expect(ObjectIdentifier(subscription.subscriberType) == ObjectIdentifier(Listener.self))
      #expect(subscription.source == publisher.id)
      #expect(subscription.context == .background)
      #expect(subscription.buffering == .newest(3))
      #expect(subscription.isActive)
      withExtendedLifetime(listener) {}
    }

    @Test("a released publisher releases everything, even if it has so many subscribers that it keeps an index")
    func required_3_06_index() {
      weak var probe: ManualExecutor?
      let recorders = (0..<40).map { _ in Recorder<Int>() }
      do {
        let (publisher, executor) = (Publisher<Int>(), ManualExecutor())
        probe = executor
        for recorder in recorders { publisher.subscribe(recorder, on: .executor(executor)) }
        executor.runAll()
        #expect(publisher.subscriberCount == 40)
      }
      #expect(probe == nil)
      withExtendedLifetime(recorders) {}
    }

    @Test("a cancelled subscription that nobody keeps releases its executor")
    func required_3_05_executor() {
      let recorder = Recorder<Int>()
      weak var probe: ManualExecutor?
      do {
        let executor = ManualExecutor()
        probe = executor
        let subscription = publisher.subscribe(recorder, on: .executor(executor))
        executor.runAll()
        #expect(subscription.cancel() == .quiescent)
      }
      #expect(probe == nil)
      withExtendedLifetime((publisher, recorder)) {}
    }
  }

  @Suite("unsubscribe ends every subscription of an object, and can be called in its deinit")
  struct UnsubscribeTests {
    let publisher = Publisher<Int>()

    @Test("it ends subscriptions of every kind and leaves other objects alone", arguments: [0, 100])
    func required_3_02_everyInterface(others: Int) {
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

    @Test("it returns alreadyCancelled for an object that isn't subscribed")
    func required_3_02_stranger() {
      #expect(publisher.unsubscribe(Recorder<Int>()) == .alreadyCancelled)
      #expect(publisher.unsubscribe(publisher) == .alreadyCancelled)
    }

    /// A subscriber that unsubscribes in its deinit.
    final class Leaver: TypedSubscriber {
      private let outcomes: Journal<CancelOutcome>
      private let leave: @Sendable (Leaver) -> CancelOutcome

      init(_ outcomes: Journal<CancelOutcome>, leave: @escaping @Sendable (Leaver) -> CancelOutcome) {
        self.outcomes = outcomes
        self.leave = leave
      }

      func receive(_ state: LoadState<Int>) {}

      deinit { outcomes.add(leave(self)) }
    }

    @Test(
      "in its deinit an object can leave a publisher, an explicit publisher and a group of delegates",
      arguments: [0, 100])
    func required_3_01_deinit(others: Int) async {
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
  }
}
