import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("Subscriptions: policies, statistics, and all ways to end")
  struct SubscriptionTests {
    let publisher = Publisher<Int>(label: "source")
    let recorder = Recorder<Int>()

    @Test(
      "a buffer keeps the newest states, and counts those that it skips",
      arguments: [
        (.unbounded, [0, 1, 2, 3, 4, 5]), (.latest, [5]), (.newest(2), [4, 5]), (.newest(10), [0, 1, 2, 3, 4, 5]),
        (.newest(1), [5]),
      ] as [(BufferingPolicy, [UInt64])])
    func buffering(policy: BufferingPolicy, expected: [UInt64]) {
      let executor = ManualExecutor()
      let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
      for number in 1...5 { publisher.updateData(number) }
      let waiting: Subscription.Statistics = subscription.statistics
      #expect(waiting.pending == expected.count)
      #expect(waiting.delivered == 0)
      #expect(waiting.skipped == 6 - expected.count)
      #expect(waiting.lastVersion == nil)

      executor.runAll()
      let served = subscription.statistics
      #expect(recorder.publications.map(\.version) == expected)
      #expect(served.pending == 0)
      #expect(served.delivered == expected.count)
      #expect(served.skipped == 6 - expected.count)
      #expect(served.highWater == expected.count)
      #expect(served.lastVersion == 5)
      #expect(Set([waiting, served, served]).count == 2)
      #expect(subscription.buffering == policy)
      #expect(subscription.cancel() == .quiescent)
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
      let (second, third) = (Recorder<Int>(), Recorder<Int>())
      let standing = publisher.subscribe(recorder, on: .immediate)
      let ignored = publisher.subscribe(recorder, on: .background, buffering: .latest, ifDuplicate: .ignore)
      #expect(ignored == standing)
      #expect(ignored.context == .immediate)
      #expect(ignored.buffering == .unbounded)
      #expect(recorder.states.count == 1, "no replay")

      let extra = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .allow)
      #expect(extra != standing)
      #expect(publisher.subscriberCount == 2)

      let replacing = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
      #expect(!standing.isActive && !extra.isActive && replacing.isActive)
      #expect(publisher.subscriberCount == 1)

      let neighbor = publisher.subscribe(second, on: .immediate)
      let successor = publisher.subscribe(third, on: .immediate, ifDuplicate: .replaceSameType)
      #expect(!replacing.isActive && !neighbor.isActive)
      #expect(publisher.subscriptions == [successor])
      withExtendedLifetime((recorder, second, third)) {}
    }

    @Test("a subscription says where, how, from whom and to whom it delivers")
    func values() async {
      let listener = Listener()
      let first = publisher.subscribe(recorder, on: .background, buffering: .newest(3))
      let second = publisher.subscribe(listener, on: .immediate) { _, _ in }
      #expect(first.context == .background)
      #expect(first.buffering == .newest(3))
      #expect(first.source == publisher.id)
      #expect("\(first.subscriberType)" == "Recorder<Int>")
      #expect("\(second.subscriberType)" == "Listener")
      #expect(second.context == .immediate)
      #expect(publisher.subscriptions.count == 2)
      #expect(Set(publisher.subscriptions) == [first, second])
      #expect(first.description != second.description)
      #expect(first.description.contains("Recorder"))
      #expect(second.description.contains("Listener"))
      await publisher.drain()
      #expect(first.statistics.lastVersion == 0)
      withExtendedLifetime((recorder, listener)) {}
    }

    @Test("nothing comes after a cancellation, which says whether a delivery is under way")
    func cancelling() async {
      let subscription = publisher.subscribe(recorder, on: .immediate)
      #expect(subscription.isActive)
      #expect(subscription.cancel() == .quiescent)
      #expect(!subscription.isActive)
      #expect(subscription.cancel() == .alreadyCancelled)
      await subscription.cancelAndWait()
      publisher.republish()
      #expect(recorder.states == [.unknown])
    }

    @Test("a subscriber can cancel from inside its own callback")
    func cancellingInside() {
      let (outcomes, listener, thread) = (Journal<CancelOutcome>(), Listener(), Here.thread)
      publisher.subscribe(listener, on: .immediate) { [weak publisher] listener, state in
        #expect(Here.thread == thread)
        listener.note(state)
        if let publisher { outcomes.add(publisher.unsubscribe(listener)) }
      }
      publisher.republish()
      #expect(outcomes.entries == [.reentrant])
      #expect(listener.journal.entries == [.unknown])
    }

    @Test("a cancellation skips what is pending")
    func cancellingPending() {
      let executor = ManualExecutor()
      let pending = publisher.subscribe(recorder, on: .executor(executor))
      publisher.republish()
      #expect(pending.statistics.pending == 2)
      #expect(pending.cancel() == .quiescent)
      #expect(pending.statistics.pending == 0)
      #expect(pending.statistics.skipped == 2)
      executor.runAll()
      #expect(recorder.states == [])
    }

    @Test("cancelAndWait returns after the delivery that is under way, and nothing follows it")
    func cancellingUnderWay() async throws {
      let (listener, gate) = (Listener(), Gate())
      let subscription = publisher.subscribe(listener, on: .background) { listener, state in
        Here.assertBackground()
        gate.pass()
        listener.note(state)
      }
      try await gate.waitUntilHeld()
      publisher.updateData(1)
      #expect(subscription.cancel() == .inFlight)
      let waiting = Task {
        await subscription.cancelAndWait()
        return listener.journal.entries
      }
      #expect(listener.journal.entries == [])
      gate.open()
      #expect(await waiting.value == [.unknown])

      let second = publisher.subscribe(recorder, on: .background)
      await second.cancelAndWait()
      #expect(!second.isActive)
    }

    @Test("a subscription ends with its subscriber")
    func subscriberEnds() {
      var subscription: Subscription?
      expectReleased {
        let listener = Listener()
        subscription = publisher.subscribe(listener, on: .immediate) { _, _ in }
        return listener
      }
      publisher.republish()
      #expect(subscription?.isActive == false)
      #expect(publisher.subscriberCount == 0)
      #expect(subscription?.cancel() == .alreadyCancelled)
    }

    @Test("a subscription that is released goes on, and ends with its publisher, but for what is pending")
    func publisherEnds() {
      let executor = ManualExecutor()
      var brief: Publisher<Int>? = Publisher<Int>()
      let last = brief?.subscribe(recorder, on: .executor(executor))
      brief?.updateData(1)
      brief = nil
      #expect(recorder.states == [])
      executor.runAll()
      #expect(recorder.states == [.unknown, .loaded(1)])
      #expect(last?.isActive == false)
      #expect(last?.cancel() == .alreadyCancelled)
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

      let scoped = publisher.subscribe(recorder, on: .immediate).scoped()
      #expect(scoped.cancel() == .quiescent)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("a drain with a limit names who is late")
    func drainingWithin() async throws {
      let executor = ManualExecutor()
      let subscription = publisher.subscribe(recorder, on: .executor(executor))
      let error = await #expect(throws: DrainTimedOut.self) { try await publisher.drain(within: .zero) }
      #expect(error == DrainTimedOut(limit: .zero, subscriptions: [subscription]))
      #expect(error?.limit == .zero)
      #expect(error?.subscriptions == [subscription])
      #expect(error?.description.contains("Recorder") == true)
      executor.runAll()
      try await publisher.drain(within: .seconds(10), clock: ContinuousClock())
    }
  }
}
