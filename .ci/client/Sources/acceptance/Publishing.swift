import Dispatch
import SubPub
import SubPubTesting

func publishing() async {
  let publisher = Publisher<Int>(label: "steps", staleAfter: nil, clock: ContinuousClock())
  expectEqual(publisher.state, .unknown, "a new publisher is unknown")
  expectEqual(publisher.current.version, 0, "at version 0")
  expectEqual(publisher.staleAfter, nil, "never stale")

  publisher.startLoading()
  expectEqual(publisher.state, .loading(previous: nil), "startLoading")
  publisher.updateData(1)
  expectEqual(publisher.state, .loaded(1), "updateData")
  publisher.startLoading()
  expectEqual(publisher.state, .loading(previous: 1), "startLoading keeps the value")
  publisher.setError(Failure.offline)
  expectEqual(publisher.state, .error(Failure.offline, previous: 1), "setError keeps the value")
  publisher.republish()
  expectEqual(publisher.state, .error(Failure.offline, previous: 1), "publish changes nothing")
  publisher.setState(.loaded(7))
  expectEqual(publisher.state, .loaded(7), "setState")
  publisher.reset()
  expectEqual(publisher.state, .unknown, "reset")
  expectEqual(publisher.current.version, 7, "every call is one transition")

  await publisher.drain()  // nobody listens: returns at once
  passed("Publisher: every operation is one transition")

  // From any thread, without await (1.06).
  DispatchQueue.concurrentPerform(iterations: 8) { index in
    publisher.updateData(index)
    expect(publisher.current.version > 7, "the version only grows")
  }
  expectEqual(publisher.current.version, 15, "transitions from many threads")
  await Reporter(publisher).report(41)
  expectEqual(publisher.state, .loaded(41), "from an actor")
  await MainActor.run { publisher.updateData(42) }
  expectEqual(publisher.state, .loaded(42), "from the main actor")
  await Task.detached { publisher.updateData(43) }.value
  expectEqual(publisher.state, .loaded(43), "from a task")
  do { _ = LastWords(publisher) }
  expectEqual(publisher.state, .loaded(99), "from a deinit")
  passed("Publisher: from threads, tasks, actors and a deinit")
}

func updating() async {
  let publisher = Publisher<Int>()
  publisher.updateData(1)
  let publication = publisher.update { $0.map { $0 + 1 } }
  expectEqual(publication.state, .loaded(2), "what update published")
  expectEqual(publication.version, 2, "its version")
  publisher.update { _ in .loading(previous: 5) }  // the result may be ignored

  do {
    try publisher.update { _ in throw Failure.denied }
    fail("update rethrows")
  } catch {
    expectEqual(error as? Failure, .denied, "what update rethrows")
  }
  expectEqual(publisher.current.version, 3, "a transform that throws publishes nothing")

  DispatchQueue.concurrentPerform(iterations: 4) { _ in
    for _ in 1...100 { publisher.update { .loaded(($0.value ?? 0) + 1) } }
  }
  expectEqual(publisher.state, .loaded(405), "update is atomic")

  expect(!publisher.updateData(ifChanged: 405), "the same value is no transition")
  expectEqual(publisher.current.version, 403, "the version stays")
  expect(publisher.updateData(ifChanged: 406), "another value is one")
  expectEqual(publisher.current.version, 404, "the version grows")
  publisher.updateData(ifChanged: 407)  // the result may be ignored
  expectEqual(publisher.state, .loaded(407), "updateData(ifChanged:)")
  passed("Publisher: update and updateData(ifChanged:)")
}

func waitingForAValue() async {
  let publisher = Publisher<Int>()
  let waiting = Task { try await publisher.value() }
  await untilSubscribed(publisher)
  publisher.startLoading()
  publisher.updateData(5)
  let found = await waiting.result
  expectEqual(try? found.get(), 5, "value() gives the first loaded value")

  expectEqual(try? await publisher.value(), 5, "at once, if one is loaded")

  publisher.reset()
  let failing = Task { try await publisher.value() }
  await untilSubscribed(publisher)
  publisher.setError(Failure.offline)
  do {
    _ = try await failing.value
    fail("value() throws the first error")
  } catch {
    expectEqual(error as? Failure, .offline, "what value() throws")
  }

  publisher.reset()
  let cancelled = Task { try await publisher.value() }
  await untilSubscribed(publisher)
  cancelled.cancel()
  do {
    _ = try await cancelled.value
    fail("a cancelled value() throws")
  } catch is PublisherEnded {
    fail("the publisher lives")
  } catch {
    expect(error is CancellationError, "a cancelled value() throws CancellationError")
  }
  passed("Publisher.value()")
}

func staleness() async {
  let clock = ManualClock()
  let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
  expectEqual(publisher.staleAfter, .seconds(60), "staleAfter")
  expect(!publisher.isStale, "unknown is not stale")
  publisher.updateData(1)
  clock.advance(by: .seconds(59))
  expect(!publisher.isStale, "young data is not stale")
  clock.advance(by: .seconds(2))
  expect(publisher.isStale, "old data is stale")
  let version = publisher.current.version
  publisher.updateData(2, age: .seconds(50))
  expect(!publisher.isStale, "50 seconds old at the start")
  clock.advance(by: .seconds(11))
  expect(publisher.isStale, "the age that data came with counts")
  expectEqual(publisher.current.version, version + 1, "becoming stale publishes nothing")
  publisher.startLoading()
  expect(publisher.isStale, "previous data is as stale as it was")
  publisher.reset()
  expect(!publisher.isStale, "without data nothing is stale")

  let forever = Publisher<Int>()
  forever.updateData(1, age: .seconds(1_000_000))
  expect(!forever.isStale, "without staleAfter nothing is stale")
  passed("Publisher: staleness")
}

/// Waits until a task has subscribed to the publisher.
func untilSubscribed(_ publisher: Publisher<Int>) async {
  while publisher.subscriberCount == 0 { await Task.yield() }
}

/// Publishes from its own isolation.
private actor Reporter {
  private let publisher: Publisher<Int>
  init(_ publisher: Publisher<Int>) { self.publisher = publisher }
  func report(_ value: Int) { publisher.updateData(value) }
}

/// Publishes when it is released.
private nonisolated final class LastWords {
  private let publisher: Publisher<Int>
  init(_ publisher: Publisher<Int>) { self.publisher = publisher }
  deinit { publisher.updateData(99) }
}
