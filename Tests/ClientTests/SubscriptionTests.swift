import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("Subscriptions: policies, statistics, and all ways to end")
  struct SubscriptionTests {
    let publisher = Publisher<Int>(label: "source")
    let recorder = Recorder<Int>()
    let executor = ManualExecutor()

    @Test("policies and outcomes are values, which print as they are written")
    func policies() {
      func check<Value: Hashable>(_ values: [Value], _ descriptions: [String]) {
        #expect(Set(values + values).count == values.count)
        #expect(values.map { "\($0)" } == descriptions)
      }
      check(
        [BufferingPolicy.unbounded, .latest, .newest(1), .newest(2)], ["unbounded", "latest", "newest(1)", "newest(2)"])
      check(
        [DuplicatePolicy.ignore, .replace, .replaceSameType, .allow], ["ignore", "replace", "replaceSameType", "allow"])
      check(
        [CancelOutcome.quiescent, .inFlight, .reentrant, .alreadyCancelled],
        ["quiescent", "inFlight", "reentrant", "alreadyCancelled"])
    }

    @Test("a subscription says where, how, from whom and to whom it delivers; its cancellation skips what is pending")
    func cancelling() async {
      let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: .newest(3))
      #expect((subscription.context, subscription.buffering) == (.executor(executor), .newest(3)))
      #expect(subscription.source == publisher.id)
      #expect("\(subscription.subscriberType)" == "Recorder<Int>")
      let name = "Recorder<Int> on executor(ManualExecutor) of source, newest(3)"
      #expect(subscription.description == "\(name), 0 delivered, 1 pending")
      #expect("\(subscription.statistics)" == "0 delivered, 0 skipped, 1 pending (at most 1), nothing delivered yet")
      publisher.republish()
      #expect(subscription.isActive)
      #expect(Set(publisher.subscriptions) == [subscription])
      #expect(subscription.cancel() == .quiescent)
      let statistics: Subscription.Statistics = subscription.statistics
      #expect((statistics.pending, statistics.skipped) == (0, 2))
      #expect(subscription.description == "\(name), 0 delivered, ended")
      #expect(publisher.subscriptions == [])
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
      let statistics = "2 delivered, 0 skipped, 0 pending (at most 1), last version 1"
      #expect(observation.map { "\($0.statistics)" } == statistics)
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
      try await publisher.drain(within: patience, clock: ContinuousClock())
    }
  }
}
