import SubPub
import SubPubTesting

func cancelling() async {
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()
  let subscription = publisher.subscribe(recorder, on: .immediate)
  expect(subscription.isActive, "active")
  expectEqual(subscription.cancel(), .quiescent, "nothing under way")
  expect(!subscription.isActive, "not active")
  expectEqual(subscription.cancel(), .alreadyCancelled, "again")
  await subscription.cancelAndWait()
  publisher.republish()
  expectEqual(recorder.states, [.unknown], "silence")

  // From inside its own callback.
  let outcomes = Journal<CancelOutcome>()
  let listener = Listener()
  let thread = Here.thread
  publisher.subscribe(listener, on: .immediate) { [weak publisher] listener, state in
    Here.expectThread(thread)
    listener.note(state)
    if let publisher { outcomes.add(publisher.unsubscribe(listener)) }
  }
  publisher.republish()
  expectEqual(outcomes.entries, [.reentrant], "from inside the callback")
  expectEqual(listener.journal.entries, [.unknown], "silence after a reentrant cancel")

  // What was pending is skipped.
  let executor = ManualExecutor()
  let held = Recorder<Int>()
  let pending = publisher.subscribe(held, on: .executor(executor))
  publisher.republish()
  expectEqual(pending.statistics.pending, 2, "two wait")
  expectEqual(pending.cancel(), .quiescent, "nothing has begun")
  expectEqual(pending.statistics.pending, 0, "nothing waits")
  expectEqual(pending.statistics.skipped, 2, "what waited is skipped")
  executor.runAll()
  expectEqual(held.states, [], "nothing comes")

  let all: Set<CancelOutcome> = [.quiescent, .inFlight, .reentrant, .alreadyCancelled]
  expectEqual(all.count, 4, "outcomes are Hashable")
  passed("Subscription.cancel()")
}

func cancellingUnderWay() async throws {
  let publisher = Publisher<Int>()
  let listener = Listener()
  let gate = Gate()
  let subscription = publisher.subscribe(listener, on: .background) { listener, state in
    Here.expectBackground()
    gate.pass()
    listener.note(state)
  }
  try await gate.waitUntilHeld()
  publisher.updateData(1)
  expectEqual(subscription.cancel(), .inFlight, "one is under way on another thread")
  let waiting = Task {
    await subscription.cancelAndWait()
    return listener.journal.entries
  }
  expectEqual(listener.journal.entries, [], "the one under way is held")
  gate.open()
  let seen = await waiting.value
  expectEqual(seen, [.unknown], "cancelAndWait returns after the one under way, and nothing follows it")

  let other = Listener()
  let second = publisher.subscribe(other, on: .background) { listener, state in
    Here.expectBackground()
    listener.note(state)
  }
  await second.cancelAndWait()
  expect(!second.isActive, "cancelAndWait cancels")
  passed("Subscription.cancelAndWait()")
}

func subscriptionValues() async {
  let publisher = Publisher<Int>(label: "values")
  let recorder = Recorder<Int>()
  let listener = Listener()
  let first = publisher.subscribe(recorder, on: .background, buffering: .newest(3))
  let second = publisher.subscribe(listener, on: .immediate) { _, _ in }
  expectEqual(first.context, .background, "delivery")
  expectEqual(first.buffering, .newest(3), "buffering")
  expectEqual(first.source, publisher.id, "source")
  expect(first.subscriberType == Recorder<Int>.self, "the subscriber's type")
  expect(second.subscriberType == Listener.self, "the handler's subscriber's type")
  expectEqual(second.context, .immediate, "delivery of a handler")
  expectEqual(publisher.subscriptions.count, 2, "who listens")
  expectEqual(Set(publisher.subscriptions), [first, second], "subscriptions are Hashable")
  expect(first.description != second.description, "descriptions tell them apart")
  expect(first.description.contains("Recorder"), "a description names the subscriber: \(first)")
  expect(second.description.contains("Listener"), "a description names the subscriber: \(second)")
  await publisher.drain()
  expectEqual(first.statistics.lastVersion, 0, "the replay")
  withExtendedLifetime((recorder, listener)) {}
  passed("Subscription: values")
}

func weakSubscribers() async {
  let publisher = Publisher<Int>()
  let subscription = subscribeOneThatDies(to: publisher)
  publisher.republish()
  await publisher.drain()
  expect(!subscription.isActive, "a subscription ends with its subscriber")
  expectEqual(publisher.subscriberCount, 0, "and does not count")
  expectEqual(subscription.cancel(), .alreadyCancelled, "and was cancelled by it")

  // Releasing the Subscription does not cancel; releasing the publisher ends it.
  let recorder = Recorder<Int>()
  let executor = ManualExecutor()
  var brief: Publisher<Int>? = Publisher<Int>()
  let last = brief?.subscribe(recorder, on: .executor(executor))
  brief?.updateData(1)
  brief = nil
  expectEqual(recorder.states, [], "still pending")
  executor.runAll()
  expectEqual(recorder.states, [.unknown, .loaded(1)], "what was pending when the publisher went")
  expectEqual(last?.isActive, false, "a subscription ends with its publisher")
  expectEqual(last?.cancel(), .alreadyCancelled, "and was cancelled by it")
  passed("lifetimes of subscribers and publishers")
}

private func subscribeOneThatDies(to publisher: Publisher<Int>) -> Subscription {
  publisher.subscribe(Listener(), on: .immediate) { _, _ in }
}
