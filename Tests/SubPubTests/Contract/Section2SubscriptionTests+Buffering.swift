import SubPub
import SubPubTesting
import Testing

// Rule 2.04.
extension Section2SubscriptionTests {
  static let exactPolicies: [BufferingPolicy] =
    [.unbounded, .latest] + [1, 2, 64, 1_024].map { .newest($0) }

  @Test(
    "what waits, what is skipped and what is delivered is exactly what the policy says, at every moment",
    arguments: exactPolicies)
  func required_2_04_exact(policy: BufferingPolicy) {
    let executor = ManualExecutor()
    var model = BufferModel(policy, replay: 0)
    let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
    check(subscription, model)
    for version in UInt64(1)...2_500 {
      publisher.updateData(Int(version))
      model.put(version)
      if version % 100 == 0 || version < 5 { check(subscription, model) }
    }
    check(subscription, model)
    executor.runAll()
    while model.begin() != nil { model.end() }
    #expect(recorder.publications.map(\.version) == model.delivered)
    #expect(recorder.publications.last?.version == 2_500)
    check(subscription, model)
  }

  @Test("also while a delivery is under way, on every context", arguments: ContextKind.holdable, policies)
  func required_2_04_underWay(kind: ContextKind, policy: BufferingPolicy) async {
    let (place, held) = (Place(kind), HeldRecorder())
    defer { held.gate.open() }
    let subscription = publisher.subscribe(held, on: place.context, buffering: policy)
    // Else the first may be overtaken before it begins.
    await publisher.drain()
    var model = BufferModel(policy, replay: 0)
    _ = model.begin()
    model.end()
    await held.hold(publisher)
    model.put(1)
    _ = model.begin()
    check(subscription, model)
    for version in UInt64(2)...20 {
      publisher.updateData(Int(version))
      model.put(version)
      check(subscription, model)
    }
    held.gate.open()
    await publisher.drain()
    model.end()
    while model.begin() != nil { model.end() }
    #expect(held.versions == model.delivered)
    check(subscription, model)
  }

  @Test("in a shared lane each bound is the subscription's own, from 10 seeds", arguments: UInt64(1)...10)
  func model_2_04_sharedLane(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policies = (0..<5).map { _ in Self.exactPolicies.prefix(6).randomElement(using: &random) ?? .latest }
    let host = ManualHost()
    // How much each delivery publishes.
    let plan = (0..<400).map { _ in Int.random(in: 0...2, using: &random) * Int.random(in: 0...1, using: &random) }
    let (publisher, deliveries) = (publisher, Event())
    let lists = policies.map { _ in Recorder<Int>() }
    var lane = LaneModel(policies, plan: plan)
    let subscriptions = zip(policies, lists).map { policy, list in
      publisher.subscribe(list, on: .actor(host), buffering: policy) { [weak publisher] list, state in
        list.receive(state)
        guard let publisher else { return }
        let number = deliveries.count
        deliveries.happen()
        for _ in 0..<(number < plan.count ? plan[number] : 0) {
          publisher.updateData(Int(publisher.current.version) + 1)
        }
      }
    }
    for _ in 0..<30 {
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        publisher.updateData(Int(publisher.current.version) + 1)
        lane.put()
      }
      for (subscription, model) in zip(subscriptions, lane.buffers) { check(subscription, model) }
      host.executor.runAll()
      lane.drain()
      for (subscription, model) in zip(subscriptions, lane.buffers) { check(subscription, model) }
      for (list, model) in zip(lists, lane.buffers) {
        #expect(list.states.map { UInt64($0.value ?? 0) } == model.delivered, "seed \(seed), \(model.policy)")
      }
    }
    #expect(publisher.current.version == lane.newest)
  }

  @Test("a state that is overtaken before its gate is skipped, though it was taken already")
  func required_2_04_overtakenInRound() {
    let (publisher, executor) = (publisher, ManualHost())
    let bounded = Recorder<Int>()
    publisher.subscribe(recorder, on: .actor(executor)) { [weak publisher] recorder, state in
      recorder.receive(state)
      if state == .loaded(1) { for number in 2...4 { publisher?.updateData(number) } }
    }
    let subscription = publisher.subscribe(bounded, on: .actor(executor), buffering: .latest)
    executor.executor.runAll()
    publisher.updateData(1)
    executor.executor.runAll()
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2), .loaded(3), .loaded(4)])
    #expect(bounded.states == [.unknown, .loaded(4)])
    #expect(subscription.statistics.skipped == 3)
    #expect(subscription.statistics.highWater == 1)
  }

  @Test("after a cancel nothing is pending, and what was is counted as skipped", arguments: exactPolicies)
  func required_2_04_cancelled(policy: BufferingPolicy) {
    let executor = ManualExecutor()
    let subscription = publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
    for number in 1...10 { publisher.updateData(number) }
    let pending = subscription.statistics.pending
    #expect(pending > 0)
    #expect(subscription.cancel() == .quiescent)
    publisher.updateData(11)
    let statistics = subscription.statistics
    #expect(statistics.pending == 0)
    #expect(statistics.delivered == 0)
    #expect(statistics.skipped == 11)
    #expect(statistics.highWater == pending)
    executor.runAll()
    #expect(recorder.states == [])
    #expect(subscription.statistics == statistics)
  }

  @Test("cancelled while a delivery is under way: that one is delivered, the rest skipped", arguments: policies)
  func required_2_04_cancelledUnderWay(policy: BufferingPolicy) async {
    let (place, held) = (Place(.background), HeldRecorder())
    defer { held.gate.open() }
    let subscription = publisher.subscribe(held, on: place.context, buffering: policy)
    await publisher.drain()
    await held.hold(publisher)
    for number in 2...10 { publisher.updateData(number) }
    #expect(subscription.cancel() == .inFlight)
    #expect(subscription.statistics.pending == 0)
    #expect(subscription.statistics.delivered == 1)
    #expect(subscription.statistics.skipped == 9)
    held.gate.open()
    await subscription.cancelAndWait()
    #expect(subscription.statistics.delivered == 2)
    #expect(subscription.statistics.skipped == 9)
    #expect(held.versions == [0, 1])
  }

  @Test("a buffer never has more than its bound, whoever looks, and whenever", arguments: ContextKind.allCases, [1, 3])
  func stochastic_2_04_neverMore(kind: ContextKind, bound: Int) async throws {
    let (place, publisher, faults) = (Place(kind), publisher, Event())
    let subscription = publisher.subscribe(recorder, on: place.context, buffering: .newest(bound))
    try await Race.run(threads: 3) { thread in
      for number in 0..<300 {
        if thread < 2 { publisher.updateData(number) }
        let statistics = subscription.statistics
        if statistics.pending > bound || statistics.highWater > bound { faults.happen() }
      }
    }
    await publisher.drain()
    #expect(faults.count == 0)
    #expect(subscription.statistics.delivered + subscription.statistics.skipped == 601)
    #expect(subscription.statistics.highWater <= bound)
  }

  @Test("what was dropped from a buffer is gone: as many payloads live as are pending", arguments: exactPolicies)
  func required_2_04_payloads(policy: BufferingPolicy) {
    let (publisher, deaths) = (Publisher<Deaths.Mortal>(), Deaths())
    let (executor, listener) = (ManualExecutor(), Deaths().mortal())
    let subscription = publisher.subscribe(listener, on: .executor(executor), buffering: policy) { _, _ in }
    executor.runAll()
    for number in 1...2_000 {
      publisher.updateData(deaths.mortal())
      if number % 100 == 0 || number < 5 { #expect(number - deaths.count == subscription.statistics.pending) }
    }
    executor.runAll()
    // The publisher's own.
    #expect(2_000 - deaths.count == 1)
    withExtendedLifetime(listener) {}
  }

  private func check(
    _ subscription: Subscription, _ model: BufferModel, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found = subscription.statistics
    let comment = Comment(rawValue: "\(model.policy) after \(model.put)")
    #expect(found.delivered == model.ended, comment, sourceLocation: sourceLocation)
    #expect(found.skipped == model.skipped, comment, sourceLocation: sourceLocation)
    #expect(found.pending == model.pending.count, comment, sourceLocation: sourceLocation)
    #expect(found.highWater == model.highWater, comment, sourceLocation: sourceLocation)
    #expect(found.lastVersion == model.last, comment, sourceLocation: sourceLocation)
    #expect(
      model.put == model.ended + model.skipped + model.pending.count + (model.isUnderWay ? 1 : 0),
      sourceLocation: sourceLocation)
  }
}
