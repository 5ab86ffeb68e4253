import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 2.04.
extension Section2SubscriptionTests {
  static let exactPolicies: [BufferingPolicy] = [.unbounded, .latest] + [1, 2, 64, 1_024].map { .newest($0) }

  @Test("a buffer holds, skips, releases and delivers exactly what its policy says", arguments: exactPolicies)
  func required_2_04_exact(policy: BufferingPolicy) {
    let (publisher, recorder, deaths) = (Publisher<Deaths.Token>(), Recorder<Deaths.Token>(), Deaths())
    let executor = ManualExecutor()
    var model = BufferModel(policy)
    let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
    check(subscription, model)
    for version in UInt64(1)...2_500 {
      publisher.updateData(deaths.makeToken())
      model.put(version)
      guard version % 100 == 0 || version < 5 else { continue }
      check(subscription, model)
      // Version 0 has no payload.
      #expect(Int(version) - deaths.count == model.pending.count { $0 > 0 })
    }
    executor.runAll()
    while model.begin() != nil { model.end() }
    #expect(recorder.publications.map(\.version) == model.delivered)
    #expect(recorder.publications.last?.version == 2_500)
    check(subscription, model)
  }

  @Test("a buffer follows its policy during a delivery", arguments: ContextKind.holdable, BufferingPolicy.oneOfEach)
  func required_1_03_2_04_underWay(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, held) = (makePlace(kind), makeHeldRecorder())
    let subscription = publisher.subscribe(held, on: place.context, buffering: policy)
    // Otherwise the replay may be skipped before it is delivered.
    await publisher.drain()
    var model = BufferModel(policy)
    _ = model.begin()
    model.end()
    try await held.hold(publisher)
    model.put(1)
    _ = model.begin()
    check(subscription, model)
    for version in UInt64(2)...20 {
      publisher.updateData(Int(version))
      model.put(version)
      check(subscription, model)
    }
    await held.release(publisher)
    model.end()
    while model.begin() != nil { model.end() }
    #expect(held.versions == model.delivered)
    #expect(held.versions.last == publisher.current.version)
    check(subscription, model)
  }

  @Test("after a cancel nothing is pending, and the pending states count as skipped", arguments: exactPolicies)
  func required_2_04_cancelled(policy: BufferingPolicy) {
    let executor = ManualExecutor()
    let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
    for number in 1...10 { publisher.updateData(number) }
    let pending = subscription.statistics.pending
    #expect(pending > 0)
    #expect(subscription.cancel() == .quiescent)
    publisher.updateData(11)
    let statistics = subscription.statistics
    #expect((statistics.delivered, statistics.skipped, statistics.pending) == (0, 11, 0))
    #expect(statistics.highWater == pending)
    executor.runAll()
    #expect(recorder.states == [])
    #expect(subscription.statistics == statistics)
  }

  private func check(
    _ subscription: Subscription, _ model: BufferModel, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = subscription.statistics
    #expect(
      (found.delivered, found.skipped, found.pending, found.highWater, found.lastVersion)
        == (model.ended, model.skipped, model.pending.count, model.highWater, model.last),
      "\(model.policy) after \(model.put)", sourceLocation: sourceLocation)
  }

  @Test("a state that is overtaken in the turn before its delivery is skipped")
  func required_2_04_overtakenInTurn() async {
    let (publisher, cancelled, latest) = (publisher, Locked<Subscription?>(nil), recorder)
    let overtaking = Locked<DeinitAction?>(DeinitAction { [weak publisher] in publisher?.updateData(2) })
    // Its closure is released in the turn that the serving thread takes before the next delivery of the round.
    let subscription = publisher.subscribe(makeListener(), on: .queue(DispatchQueue(label: "queue"))) {
      [action = overtaking.withLock { $0.take() }] _, state in
      if state == .loaded(1) { cancelled.withLock { $0 }?.cancel() }
      withExtendedLifetime(action) {}
    }
    cancelled.withLock { $0 = subscription }
    let bounded = publisher.subscribe(latest, on: subscription.context, buffering: .latest)
    await publisher.drain()
    publisher.updateData(1)
    await publisher.drain()
    await publisher.drain()
    #expect(latest.states == [.unknown, .loaded(2)])
    #expect((bounded.statistics.skipped, bounded.statistics.highWater) == (1, 1))
  }

  @Test(
    "a state that is overtaken in the turn before a newcomer's first delivery is skipped",
    arguments: [BufferingPolicy.latest, .newest(2)])
  func required_2_04_overtakenNewcomer(policy: BufferingPolicy) {
    let (publisher, recorder, host) = (publisher, recorder, ManualHost())
    do {
      // Its subscriber is dead at the first delivery, and it is released in the turn before the next one.
      let action = DeinitAction { [weak publisher] in for number in 2...5 { publisher?.updateData(number) } }
      publisher.subscribe(Event(), on: .actor(host), buffering: policy) { _, _ in withExtendedLifetime(action) {} }
    }
    let newcomer = publisher.subscribe(recorder, on: .actor(host), buffering: policy)
    // It asks the serving thread for such turns.
    let drain = Trial { await publisher.drain() }.run()
    host.executor.runAll()
    #expect(recorder.states == policy.rest(of: (2...5).map { .loaded($0) }))
    #expect(newcomer.statistics.delivered + newcomer.statistics.skipped == 5)
    #expect(drain.run().isOver)
  }

  @Test("an unbounded subscriber that joins a flooded lane receives everything, and the others the last state")
  func required_1_03_2_01_unbounded() {
    let (publisher, recorder, executor, flood) = (publisher, recorder, ManualExecutor(), Event())
    // Two states in each delivery, so every later one is overtaken.
    publisher.subscribe(flood, on: .executor(executor), buffering: .latest) { [weak publisher] flood, _ in
      flood.happen()
      guard let publisher, flood.count <= 50 else { return }
      if flood.count == 10 { publisher.subscribe(recorder, on: .executor(executor)) }
      publisher.updateData(2 * flood.count)
      publisher.updateData(2 * flood.count + 1)
    }
    executor.runAll()
    #expect(recorder.states.compactMap(\.value) == Array(19...101))
    #expect(flood.count == 51)
  }
}
