import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Counts and lists show the living, and only them")
  struct SubscriberCountTests {
    let publisher = Publisher<Int>(label: "numbers")

    @Test("a subscriber that dies is not counted, whether or not its lane was ever served")
    func required_2_05_dead() {
      let (living, executor) = (Recorder<Int>(), ManualExecutor())
      let standing = publisher.subscribe(living, on: .executor(executor))
      do {
        let (first, second) = (Recorder<Int>(), Recorder<Int>())
        publisher.subscribe(first, on: .immediate)
        publisher.subscribe(second, on: .executor(executor))
        #expect(publisher.subscriberCount == 3)
        withExtendedLifetime((first, second)) {}
      }
      #expect(publisher.subscriberCount == 1)
      #expect(publisher.subscriptions == [standing])
      executor.runAll()
      #expect(publisher.subscriberCount == 1)
      #expect(living.states == [.unknown])
    }

    @Test("also when there are many")
    func required_2_05_manyDead() {
      let living = (0..<50).map { _ in Recorder<Int>() }
      for number in 0..<500 {
        let dead = Recorder<Int>()
        publisher.subscribe(dead, on: .immediate)
        if number % 10 == 0 { publisher.subscribe(living[number / 10], on: .immediate) }
        withExtendedLifetime(dead) {}
      }
      #expect(publisher.subscriberCount == 50)
      withExtendedLifetime(living) {}
    }

    @Test("an actor that dies takes its subscriptions with it")
    func required_2_05_deadActor() {
      actor Context {
        nonisolated let executor: ManualExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        init(_ executor: ManualExecutor) { self.executor = executor }
      }
      let (recorder, executor) = (Recorder<Int>(), ManualExecutor())
      let subscription: Subscription
      do {
        let context = Context(executor)
        subscription = publisher.subscribe(recorder, on: .actor(context))
        executor.runAll()
        #expect(recorder.states == [.unknown])
        #expect(publisher.subscriberCount == 1)
        withExtendedLifetime(context) {}
      }
      #expect(!subscription.isActive)
      #expect(publisher.subscriberCount == 0)
      withExtendedLifetime(recorder) {}
    }

    @Test("what is cancelled is not counted; every subscription of one object is")
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

    @Test("a sequence is counted while it is iterated: from the making of the iterator to its release")
    func required_6_02_sequences() {
      let states = publisher.states()
      let values = publisher.values()
      #expect(publisher.subscriberCount == 0)
      do {
        let iterator = states.makeAsyncIterator()
        #expect(publisher.subscriberCount == 1)
        let copy = iterator
        #expect(publisher.subscriberCount == 1)
        let other = values.makeAsyncIterator()
        #expect(publisher.subscriberCount == 2)
        withExtendedLifetime((iterator, copy, other)) {}
      }
      #expect(publisher.subscriberCount == 0)
      withExtendedLifetime((states, values)) {}
    }

    @Test("the list says who listens to whom, where, and how")
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

    @Test("who keeps a subscription keeps neither side alive")
    func required_3_06_keptSubscription() {
      weak var probe: Publisher<Int>?
      let subscription: Subscription
      let recorder = Recorder<Int>()
      do {
        let brief = Publisher<Int>()
        probe = brief
        subscription = brief.subscribe(recorder, on: .immediate)
        #expect(subscription.isActive)
        withExtendedLifetime(brief) {}
      }
      #expect(probe == nil)
      #expect(!subscription.isActive)
      #expect(subscription.cancel() == .alreadyCancelled)
      #expect(recorder.states == [.unknown])
    }
  }
}
