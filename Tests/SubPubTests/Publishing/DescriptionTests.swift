import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Every type describes itself for logs")
  struct DescriptionTests {
    @Test("a publisher prints its label or ID, version and state, and a publication the same")
    func publishers() {
      let (publisher, other) = (Publisher<Int>(label: "news"), Publisher<Int>())
      #expect("\(publisher)" == "Publisher<Int>(news 0: unknown)")
      publisher.updateData(7)
      #expect("\(publisher)" == "Publisher<Int>(news 1: loaded(7))")
      #expect("\(publisher.current)" == "news 1: loaded(7)")
      #expect("\(other)" == "Publisher<Int>(\(other.id) 0: unknown)")
    }

    @Test("a subscription prints its subscriber, context, publisher, policy and progress, and its statistics")
    func subscriptions() {
      let publisher = Publisher<Int>(label: "news")
      let (listener, executor) = (Listener(), ManualExecutor())
      let subscription = publisher.subscribe(listener, on: .executor(executor), buffering: .newest(2))
      let name = "Listener on executor(ManualExecutor) of news, newest(2)"
      for number in 1...4 { publisher.updateData(number) }
      #expect("\(subscription)" == "\(name), 0 delivered, 2 pending")
      #expect("\(subscription.statistics)" == "0 delivered, 3 skipped, 2 pending (at most 2), nothing delivered yet")
      executor.runAll()
      #expect("\(subscription)" == "\(name), 2 delivered, 0 pending")
      #expect("\(subscription.statistics)" == "2 delivered, 3 skipped, 0 pending (at most 2), last version 4")
      subscription.cancel()
      #expect("\(subscription)" == "\(name), 2 delivered, ended")
      withExtendedLifetime(listener) {}
    }

    @Test("explicit publishers and groups of delegates print their protocol and what they hold")
    @MainActor func interfaces() {
      let publisher = Publisher<Int>(label: "news")
      #expect(
        "\(ExplicitPublisher<Int, any Subscriber>(publisher) { _, _ in })"
          == "ExplicitPublisher<Subscriber>(Publisher<Int>(news 0: unknown))")
      #expect(
        "\(MainActorExplicitPublisher<Int, any MainActorSubscriber>(publisher) { _, _ in })"
          == "MainActorExplicitPublisher<MainActorSubscriber>(Publisher<Int>(news 0: unknown))")
      let listener = Listener()
      let group = MulticastDelegate<any Subscriber>(label: "group")
      group.add(listener, on: .immediate)
      #expect("\(group)" == "MulticastDelegate<Subscriber>(group, delegates: 1)")
      #expect(
        "\(MainActorMulticastDelegate<any MainActorSubscriber>(label: "screens"))"
          == "MainActorMulticastDelegate<MainActorSubscriber>(screens, delegates: 0)")
      withExtendedLifetime(listener) {}
    }
  }
}
