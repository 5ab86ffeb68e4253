import SubPub
import SubPubTesting
import Testing

// Rule 2.11: `ending(n)`.
extension Section2SubscriptionTests {
  @Test(
    "a subscription for which too many states are pending ends in that publish", arguments: ContextKind.stoppable,
    [1, 3])
  func required_2_11_ends(kind: ContextKind, limit: Int) async throws {
    let (place, other, deaths) = (makePlace(kind), Recorder<Int>(), Deaths())
    let publisher = Publisher<Deaths.Token>()
    let listener = makeListener()
    let (laggard, patient) = try await place.whileStopped {
      let laggard = publisher.subscribe(listener, on: place.context, buffering: .ending(limit), capturing: deaths)
      // With its own object, so that the shared lane keeps the states of both.
      let patient = publisher.subscribe(other, on: place.context, buffering: .ending(limit + 1)) { other, _ in
        other.receive(.unknown)
      }
      // The replay is pending already.
      for _ in 1..<limit { publisher.updateData(deaths.makeToken()) }
      #expect(laggard.end == nil)
      #expect(laggard.statistics.pending == limit)
      publisher.updateData(deaths.makeToken())
      #expect(laggard.end == .fellBehind)
      // The closure, which is released in the publish.
      #expect(deaths.count == 1)
      return (laggard, patient)
    }
    let statistics = laggard.statistics
    #expect((statistics.delivered, statistics.skipped, statistics.pending) == (0, limit + 1, 0))
    #expect(statistics.highWater == limit)
    await publisher.drain()
    #expect(patient.end == nil)
    #expect(other.states.count == limit + 1)
  }

  @Test("what is under way doesn't count, and what is pending is dropped", arguments: ContextKind.holdable)
  func required_2_11_underWay(kind: ContextKind) async throws {
    let (place, held) = (makePlace(kind), makeHeldRecorder())
    let subscription = publisher.subscribe(held, on: place.context, buffering: .ending(2))
    try await held.hold(publisher)
    for number in 2...3 { publisher.updateData(number) }
    #expect(subscription.end == nil)
    publisher.updateData(4)
    #expect(subscription.end == .fellBehind)
    held.gate.open()
    #expect(await subscription.ended() == .fellBehind)
    #expect(held.versions == [0, 1])
    #expect(subscription.statistics.skipped == 3)
  }

  @Test("whoever keeps up never ends, and skips nothing", arguments: ContextKind.allCases)
  func required_2_11_keepsUp(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let subscription = publisher.subscribe(recorder, on: place.context, buffering: .ending(10))
    for round in 0..<20 {
      for number in 1...9 { publisher.updateData(10 * round + number) }
      await publisher.drain()
    }
    #expect(subscription.end == nil)
    #expect(recorder.publications.map(\.version) == Array(0...180))
  }

  @Test("a sequence ends at once, and counts only what it selects")
  func required_2_11_6_01_sequences() async {
    var states = publisher.states(buffering: .ending(3)).makeAsyncIterator()
    var values = publisher.values(buffering: .ending(3)).makeAsyncIterator()
    for number in 1...2 {
      publisher.updateData(number)
      publisher.startLoading()
    }
    // Five states, two values.
    #expect((states.end, values.end) == (.fellBehind, nil))
    #expect(await states.next() == nil)
    #expect(await values.next() == 1)
    for number in 3...4 { publisher.updateData(number) }
    // As many as may be pending, and a state that isn't selected.
    publisher.startLoading()
    #expect(values.end == nil)
    publisher.updateData(5)
    #expect(values.end == .fellBehind)
    #expect(await values.next() == nil)
    #expect(values.statistics.skipped == 4)
    #expect(values.statistics.highWater == 3)
  }

  @Test("a sequence that has as much pending as it may isn't ended by what it doesn't select", arguments: [1, 3])
  func required_2_11_6_04_unselected(limit: Int) async {
    let values = publisher.values(buffering: .ending(limit)).makeAsyncIterator()
    for number in 1...limit { publisher.updateData(number) }
    #expect(values.statistics.pending == limit)
    for _ in 1...3 { publisher.startLoading() }
    #expect((values.end, values.statistics.pending) == (nil, limit))
    publisher.updateData(0)
    #expect(values.end == .fellBehind)
  }

  @Test("what a laggard's end runs on the publishing thread may publish, and is delivered to immediately")
  func required_2_11_2_03_foreignCode() async throws {
    let (stopped, inline, nested) = (ManualExecutor(), InlineExecutor(), Locked<[LoadState<Int>]>([]))
    publisher.subscribe(recorder, on: .immediate)
    let laggard = publisher.subscribe(makeListener(), on: .executor(stopped), buffering: .ending(1)) { _, _ in }
    let returned = Event()
    // Waits when this returns.
    Task(executorPreference: inline) { [publisher, recorder] in
      _ = await laggard.ended()
      publisher.updateData(2)
      nested.withLock { $0 = recorder.states }
      returned.happen()
    }
    publisher.updateData(1)
    try await returned.wait()
    #expect(nested.withLock { $0 } == [.unknown, .loaded(1), .loaded(2)])
    stopped.runAll()
  }

  @Test(
    "whoever has kept up ends with exactly the same number of pending states", arguments: ManualPlace.Kind.allCases,
    0..<6)
  func required_2_11_afterKeepingUp(kind: ManualPlace.Kind, rounds: Int) {
    let (place, publisher) = (ManualPlace(kind), publisher)
    publisher.subscribe(makeListener(), on: place.context, buffering: .ending(1)) { _, _ in }.cancel()
    let overrun: @Sendable () -> Void = {
      for number in 0..<3 { publisher.updateData(number) }
      #expect(publisher.subscriberCount == 1)
      publisher.updateData(3)
      #expect(publisher.subscriberCount == 0)
    }
    let laggard = publisher.subscribe(recorder, on: place.context, buffering: .ending(3)) { _, state in
      if state == .loaded(-1) { overrun() }
    }
    for _ in 0..<rounds {
      place.serve()
      publisher.updateData(7)
    }
    place.serve()
    // With immediate delivery, nothing is pending unless a subscriber publishes.
    if kind == .immediate { publisher.updateData(-1) } else { overrun() }
    #expect((laggard.end, laggard.statistics.highWater) == (.fellBehind, 3))
    place.serve()
  }
}
