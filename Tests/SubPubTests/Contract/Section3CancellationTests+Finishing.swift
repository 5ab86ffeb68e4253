import SubPub
import SubPubTesting
import Testing

// Rule 3.09: `finish()`.
extension Section3CancellationTests {
  @Test("every transition after the end is dropped")
  func required_3_09_dropped() {
    publisher.updateData(1)
    #expect(!publisher.isFinished)
    publisher.finish()
    #expect(publisher.isFinished)
    publisher.startLoading()
    publisher.updateData(2)
    publisher.updateData(2, age: .seconds(1))
    publisher.setError(Failure.offline)
    publisher.reset()
    publisher.setState(.loading(previous: 2))
    publisher.setState(.unknown)
    publisher.republish()
    #expect(publisher.update { _ in .loaded(2) }.version == 0)
    #expect(throws: Failure.offline) {
      try publisher.update { _ in throw Failure.offline }
    }
    #expect(!publisher.updateData(ifChanged: 2))
    #expect((publisher.state, publisher.current.version) == (.loaded(1), 1))
    // The mark of the transform has gone, too.
    publisher.updateData(3)
    #expect(publisher.state == .loaded(1))
  }

  @Test("whoever subscribes later receives the last state, and ends", arguments: ContextKind.allCases)
  func required_3_09_newcomer(kind: ContextKind) async {
    publisher.updateData(1)
    publisher.finish()
    let subscription = publisher.subscribe(recorder, on: makePlace(kind).context)
    #expect(await subscription.ended() == .publisherEnded)
    #expect(recorder.states == [.loaded(1)])
  }

  @Test("sequences give what is pending, and end; those that are made later give the last state")
  func required_3_09_sequences() async throws {
    publisher.updateData(1)
    var iterator = publisher.states().makeAsyncIterator()
    let waiting = Trial { [publisher] in
      var states = publisher.values().makeAsyncIterator()
      let first = await states.next()
      return (first, await states.next(), states.end)
    }
    #expect(!waiting.run().isOver)
    publisher.updateData(2)
    publisher.finish()
    #expect(iterator.end == nil)
    #expect(await iterator.next() == .loaded(1))
    #expect(await iterator.next() == .loaded(2))
    #expect(await iterator.next() == nil)
    #expect(iterator.end == .publisherEnded)
    #expect(try await waiting.finish() == (1, 2, .publisherEnded))
    var late = publisher.publications().makeAsyncIterator()
    #expect(await late.next()?.version == 2)
    #expect(await late.next() == nil)
    #expect(late.end == .publisherEnded)
    #expect(try await publisher.value() == 2)
  }

  @Test("value() returns when the publisher ends without a value")
  func required_3_09_value() async {
    let trial = Trial { [publisher] in try await publisher.value() }
    #expect(!trial.run().isOver)
    publisher.finish()
    await #expect(throws: PublisherEnded(source: publisher.id)) { try await trial.finish() }
    await #expect(throws: PublisherEnded(source: publisher.id)) { try await publisher.value() }
  }

  @Test("a manager's value() gives what it has finished with")
  func required_3_09_managersValue() async throws {
    let manager = LoadingManager { 1 }
    manager.publisher.setError(Failure.offline)
    manager.publisher.finish()
    await #expect(throws: Failure.offline) { try await manager.value() }
    let loaded = LoadingManager { 1 }
    loaded.publisher.updateData(2)
    loaded.publisher.finish()
    #expect(try await loaded.value() == 2)
    let unknown = LoadingManager { 1 }
    unknown.publisher.finish()
    await #expect(throws: PublisherEnded(source: unknown.publisher.id)) { try await unknown.value() }
  }

  @Test("whoever has died unnoticed hasn't ended because of it", arguments: ContextKind.allCases)
  func required_3_09_2_05_dead(kind: ContextKind) async {
    let place = makePlace(kind)
    let subscription: Subscription
    do {
      let brief = Recorder<Int>()
      subscription = publisher.subscribe(brief, on: place.context)
      await publisher.drain()
      withExtendedLifetime(brief) {}
    }
    publisher.finish()
    #expect(subscription.end == .subscriberReleased)
  }

  @Test("a combination finishes with the last of its sources, and not with the one before")
  func required_3_09_5_22_three() {
    let sources = (0..<3).map { Publisher<Int>(initial: $0) }
    let all = combining(sources)
    let subscription = all.subscribe(recorder, on: .immediate) { _, _ in }
    sources[2].finish()
    sources[0].finish()
    #expect(subscription.end == nil)
    sources[1].updateData(7)
    #expect(all.state == .loaded([0, 7, 2]))
    sources[1].finish()
    #expect(subscription.end == .publisherEnded)
  }

  @Test("a publisher that switches finishes with its source if there was nothing to follow")
  func required_3_09_5_22_nothingToFollow() {
    let outer = Publisher<Int>()
    let switched = outer.switchingToLatest { _ in Publisher<Int>() }
    let subscription = switched.subscribe(recorder, on: .immediate)
    outer.startLoading()
    outer.finish()
    #expect(subscription.end == .publisherEnded)
  }

  @Test("the end of a publisher that was followed earlier says nothing about the one that is followed now")
  func required_3_09_5_22_switchedAway() {
    let (outer, inner) = (Publisher<Int>(), [Publisher<Int>(initial: 0), Publisher<Int>(initial: 1)])
    let switched = outer.switchingToLatest { value in
      // Its end waits until this transform has returned.
      if value == 1 { inner[0].finish() }
      return inner[value]
    }
    let subscription = switched.subscribe(recorder, on: .immediate)
    outer.updateData(0)
    outer.updateData(1)
    outer.finish()
    #expect(subscription.end == nil)
    inner[1].updateData(7)
    #expect(switched.state == .loaded(7))
    inner[1].finish()
    #expect(subscription.end == .publisherEnded)
  }

  @Test(
    "a publisher can be finished in a delivery, which isn't the last if more is pending",
    arguments: ContextKind.allCases)
  func required_3_09_inside(kind: ContextKind) async {
    let subscription = publisher.subscribe(recorder, on: makePlace(kind).context) { [weak publisher] recorder, state in
      recorder.receive(state)
      guard state == .unknown else { return }
      publisher?.updateData(1)
      publisher?.finish()
      publisher?.updateData(2)
    }
    #expect(await subscription.ended() == .publisherEnded)
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("derived publishers finish when all of their sources have, with the last state")
  func required_3_09_5_22_derived() async {
    let (other, outer, inner) = (Publisher<Int>(), Publisher<Int>(), Publisher<Int>())
    let mapped = publisher.map { $0 + 1 }
    let chained = mapped.compactMap { $0 }.mapState { $0 }
    let both = combining(publisher, other)
    let switched = outer.switchingToLatest { _ in inner }
    let subscriptions = [
      mapped.subscribe(recorder, on: .immediate, ifDuplicate: .allow) { $0.receive($1) },
      chained.subscribe(recorder, on: .immediate, ifDuplicate: .allow) { _, _ in },
      both.subscribe(recorder, on: .immediate) { _, _ in }, switched.subscribe(recorder, on: .immediate) { _, _ in },
    ]
    for publisher in [publisher, other, outer, inner] { publisher.updateData(1) }
    publisher.finish()
    #expect(subscriptions.map(\.end) == [.publisherEnded, .publisherEnded, nil, nil])
    #expect((mapped.state, chained.state) == (.loaded(2), .loaded(2)))
    other.updateData(2)
    other.finish()
    outer.finish()
    #expect(subscriptions.map(\.end) == [.publisherEnded, .publisherEnded, .publisherEnded, nil])
    #expect(both.state.value.map { [$0.0, $0.1] } == [1, 2])
    inner.updateData(5)
    inner.finish()
    #expect(subscriptions[3].end == .publisherEnded)
    #expect(switched.state == .loaded(5))
    #expect(recorder.states == [.unknown, .loaded(2)])
    // Derived from what has already finished.
    for derived in [publisher.map { $0 }, combining(publisher, other).map(\.1), outer.switchingToLatest { _ in inner }]
    {
      #expect(derived.state.phase == .loaded)
      #expect(derived.subscribe(recorder, on: .immediate, ifDuplicate: .allow) { _, _ in }.end == .publisherEnded)
    }
    #expect(combining([Publisher<Int>]()).subscribe(recorder, on: .immediate) { _, _ in }.end == .publisherEnded)
  }

  @Test("a load is cancelled and publishes nothing, its callers and polls return, and no other begins")
  func required_3_09_5_09_load() {
    let bench = LoadBench(initial: 1)
    let refresh = bench.call { await bench.manager.refresh() }
    let poll = bench.call { await bench.manager.refresh(every: .seconds(1)) }
    #expect(bench.publisher.state == .loading(previous: 1))
    bench.publisher.finish()
    bench.run()
    #expect(refresh.result == .loading(previous: 1))
    #expect(poll.result != nil)
    bench.source.answer(0, .success(2))
    bench.run()
    #expect(bench.publisher.state == .loading(previous: 1))
    #expect(bench.call { await bench.manager.refresh() }.result == .loading(previous: 1))
    bench.manager.set(3)
    bench.manager.logout()
    #expect(bench.publisher.state == .loading(previous: 1))
    #expect(bench.source.calls == 1)
    bench.finish()
  }

  @Test("a logout after the end clears the cache, so nobody sees the former user's data")
  func required_5_10_3_09_logout() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    bench.load(1)
    bench.publisher.finish()
    bench.logout()
    #expect((bench.publisher.state, cache.content, cache.operations.last) == (.loaded(1), nil, .clear))
    // A value that is set or answered later isn't written.
    bench.manager.set(2)
    bench.run()
    #expect((bench.publisher.state, cache.operations.last) == (.loaded(1), .clear))
    bench.finish()
  }

  @Test("so does that of a stream, and of everything that a directory knows")
  func required_5_10_3_09_logoutAll() async {
    let (streamed, loaded) = (ProbeCache(), ProbeCache())
    let bench = StreamBench { $0.cache = streamed }
    _ = bench.listen()
    bench.send(1)
    let (directory, manager) = (PublisherDirectory(), LoadingManager<Int>(cache: loaded) { 2 })
    directory.register(manager)
    let family = ManagerFamily<String, LoadingManager<Int>> { _ in LoadingManager { 3 } }
    directory.register(family)
    await manager.refresh()
    await manager.waitForCache()
    #expect((streamed.content, loaded.content) == (1, 2))
    bench.publisher.finish()
    bench.manager?.logout()
    bench.run()
    directory.finishAll()
    directory.logoutAll()
    await directory.waitForCaches()
    #expect((streamed.content, loaded.content) == (nil, nil))
    #expect((bench.publisher.state, manager.publisher.state) == (.loaded(1), .loaded(2)))
  }

  @Test("data can be made stale after the end, and nobody loads it again")
  func required_5_15_3_09_invalidate() {
    let bench = LoadBench(staleAfter: .seconds(60))
    bench.load(1)
    bench.publisher.finish()
    #expect(!bench.publisher.isStale)
    bench.manager.invalidate()
    bench.refreshIfNeeded()
    #expect((bench.publisher.isStale, bench.source.calls) == (true, 1))
    // The data stays, so it stays stale.
    bench.logout()
    #expect((bench.publisher.isStale, bench.publisher.state) == (true, .loaded(1)))
    bench.finish()
  }

  @Test("a poll that pauses returns")
  func required_3_09_5_17_pause() {
    let bench = LoadBench(initial: 1)
    let poll = bench.call { await bench.manager.refresh(every: .seconds(1)) }
    bench.answer(0, 2)
    #expect(poll.result == nil)
    bench.publisher.finish()
    bench.run()
    #expect(poll.result != nil)
    bench.finish()
  }

  @Test("everything that a directory has made or knows finishes, and nothing else")
  func required_3_09_directory() {
    let (directory, registered) = (PublisherDirectory(), Publisher<String>())
    let made = directory.publisher(of: Int.self)
    directory.register(registered)
    let family = ManagerFamily<Int, LoadingManager<Int>> { _ in LoadingManager { 1 } }
    directory.register(family)
    let member = family[1]
    directory.finishAll()
    #expect(made.isFinished && registered.isFinished && member.publisher.isFinished)
    #expect(!publisher.isFinished)
    directory.finishAll()
    #expect(!directory.publisher(of: Double.self).isFinished)
  }
}
