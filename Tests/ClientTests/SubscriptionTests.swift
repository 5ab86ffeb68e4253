import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("Subscriptions: policies, statistics, and all ways to end")
  struct SubscriptionTests {
    let publisher = Publisher<Int>(label: "source")
    let recorder = Recorder<Int>()
    let executor = ManualExecutor()

    @Test(
      "a buffer keeps the newest states, and counts those that it skips",
      arguments: [(.unbounded, [0, 1, 2, 3, 4, 5]), (.latest, [5]), (.newest(2), [4, 5])]
        as [(BufferingPolicy, [UInt64])])
    func buffering(policy: BufferingPolicy, expected: [UInt64]) {
      let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
      for number in 1...5 { publisher.updateData(number) }
      let waiting: Subscription.Statistics = subscription.statistics
      #expect((waiting.pending, waiting.delivered, waiting.lastVersion) == (expected.count, 0, nil))
      executor.runAll()
      let served = subscription.statistics
      #expect(recorder.publications.map(\.version) == expected)
      #expect((served.pending, served.delivered, served.highWater) == (0, expected.count, expected.count))
      #expect((served.skipped, served.lastVersion) == (6 - expected.count, 5))
      #expect(Set([waiting, served, served]).count == 2)
    }

    @Test("policies are values")
    func policies() {
      #expect(Set<BufferingPolicy>([.unbounded, .latest, .newest(2), .newest(10), .newest(1)]).count == 5)
      #expect("\(BufferingPolicy.newest(2))" == "newest(2)")
      #expect(Set<DuplicatePolicy>([.ignore, .replace, .replaceSameType, .allow]).count == 4)
      #expect(Set<CancelOutcome>([.quiescent, .inFlight, .reentrant, .alreadyCancelled]).count == 4)
    }

    @Test("an object that subscribes again is ignored, allowed, or replaces itself or its class")
    func duplicates() {
      let other = Recorder<Int>()
      let standing = publisher.subscribe(recorder, on: .immediate)
      let ignored = publisher.subscribe(recorder, on: .background, buffering: .latest, ifDuplicate: .ignore)
      #expect(ignored == standing)
      let extra = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .allow)
      #expect(Set(publisher.subscriptions) == [standing, extra])
      let replacing = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
      #expect(publisher.subscriptions == [replacing])
      let successor = publisher.subscribe(other, on: .immediate, ifDuplicate: .replaceSameType)
      #expect(publisher.subscriptions == [successor])
      #expect(!standing.isActive && !extra.isActive && !replacing.isActive && successor.isActive)
      withExtendedLifetime((recorder, other)) {}
    }

    @Test("a subscription says where, how, from whom and to whom it delivers; its cancellation skips what is pending")
    func cancelling() async {
      let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: .newest(3))
      #expect((subscription.context, subscription.buffering) == (.executor(executor), .newest(3)))
      #expect(subscription.source == publisher.id)
      #expect("\(subscription.subscriberType)" == "Recorder<Int>")
      #expect(subscription.description.contains("Recorder"))
      publisher.republish()
      #expect(subscription.isActive)
      #expect(subscription.cancel() == .quiescent)
      #expect((subscription.statistics.pending, subscription.statistics.skipped) == (0, 2))
      #expect(subscription.cancel() == .alreadyCancelled)
      await subscription.cancelAndWait()
      executor.runAll()
      #expect(recorder.states == [])
    }

    @Test("an observation, and any subscription that is scoped, ends when it is released")
    func scoped() {
      var observation: ScopedSubscription? = publisher.observe(on: .immediate, buffering: .unbounded) { [recorder] in
        recorder.receive($0)
      }
      publisher.updateData(1)
      #expect(observation?.isActive == true)
      #expect(observation?.statistics.delivered == 2)
      #expect(observation?.subscription.source == publisher.id)
      #expect(observation?.description.hasPrefix("scoped ") == true)
      observation = nil
      publisher.updateData(2)
      #expect(recorder.states == [.unknown, .loaded(1)])
      #expect(publisher.subscribe(recorder, on: .immediate).scoped().cancel() == .quiescent)
    }

    @Test("a drain with a limit names who is late")
    func drainingWithin() async throws {
      let subscription = publisher.subscribe(recorder, on: .executor(executor))
      let error = await #expect(throws: DrainTimedOut.self) { try await publisher.drain(within: .zero) }
      #expect(error == DrainTimedOut(limit: .zero, subscriptions: [subscription]))
      #expect((error?.limit, error?.subscriptions) == (.zero, [subscription]))
      #expect(error?.description.contains("Recorder") == true)
      executor.runAll()
      try await publisher.drain(within: .seconds(10), clock: ContinuousClock())
    }
  }
}
