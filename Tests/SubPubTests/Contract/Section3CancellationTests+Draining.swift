import SubPub
import SubPubTesting
import Testing

/// `drain()`. `DrainTests` has more of it, on one context.
extension Section3CancellationTests {
  private func draining(_ publisher: Publisher<Int>) -> Trial<Void> {
    Trial { await publisher.drain() }.run()
  }

  @Test("3.07: returns when all have been served", arguments: ContextKind.allCases, BufferingPolicy.oneOfEach)
  func required_3_07_served(kind: ContextKind, policy: BufferingPolicy) async {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let recorders = (0..<3).map { _ in Recorder<Int>() }
    let subscriptions = recorders.map { publisher.subscribe($0, on: place.context, buffering: policy) }
    for number in 1...50 { publisher.updateData(number) }
    await publisher.drain()
    for (recorder, subscription) in zip(recorders, subscriptions) {
      let statistics = subscription.statistics
      #expect(recorder.states.last == .loaded(50))
      #expect(statistics.lastVersion == 50)
      #expect(statistics.delivered + statistics.skipped == 51)
      #expect(statistics.delivered == recorder.states.count)
    }
  }

  @Test("3.07: not before a delivery under way has ended", arguments: ContextKind.holdable)
  func required_3_07_held(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    let (publisher, recorder) = (held.publisher, held.recorder)
    let trial = Trial {
      await publisher.drain()
      return recorder.states.count
    }
    #expect(!trial.run().isOver)
    let several = (0..<3).map { _ in draining(publisher) }
    #expect(several.allSatisfy { !$0.isOver })
    held.gate.open()
    #expect(try await trial.finish() == 2)
    for trial in several { try await trial.finish() }
  }

  @Test("3.07: not before who shares a lane has been served", arguments: ContextKind.holdableShared)
  func required_3_07_behindHeld(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    let (publisher, recorder) = (held.publisher, recorder)
    // Its replay is the state whose round is under way.
    publisher.subscribe(recorder, on: held.place.context)
    let trial = Trial {
      await publisher.drain()
      return recorder.states
    }
    #expect(!trial.run().isOver)
    held.gate.open()
    #expect(try await trial.finish() == [.loaded(1)])
  }

  @Test(
    "3.07: a cancelled subscription doesn't hold it up, its delivery under way included",
    arguments: ContextKind.holdable)
  func required_3_07_cancelledInFlight(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    let trial = draining(held.publisher)
    #expect(!trial.isOver)
    #expect(try await held.cancel() == .inFlight)
    #expect(trial.run().isOver)
    #expect(held.gate.held == 1)
    held.gate.open()
    try await held.deaths.wait()
  }

  @Test("3.07: nor one that is cancelled before its turn in a lane", arguments: ContextKind.holdableShared)
  func required_3_07_cancelledBehindHeld(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    let gate = Gate()
    defer {
      held.gate.open()
      gate.open()
    }
    let subscription = held.publisher.subscribe(recorder, on: held.place.context) { recorder, state in
      recorder.receive(state)
      gate.pass()
    }
    let trial = draining(held.publisher)
    #expect(subscription.cancel() == .quiescent)
    #expect(!trial.run().isOver)
    held.gate.open()
    try await trial.finish()
    #expect(recorder.states == [])
  }

  @Test("3.07: nor one whose subscriber or actor has died", arguments: ManualPlace.Kind.allCases)
  func required_3_07_dead(kind: ManualPlace.Kind) async throws {
    var host: ManualHost? = ManualHost()
    let executor = try #require(host?.executor)
    let trial: Trial<Void>
    do {
      let brief = Recorder<Int>()
      switch kind {
      case .immediate: publisher.subscribe(brief, on: .immediate)
      case .executor: publisher.subscribe(brief, on: .executor(executor))
      case .actor: publisher.subscribe(recorder, on: .actor(try #require(host)))
      }
      publisher.updateData(1)
      trial = draining(publisher)
      withExtendedLifetime(brief) {}
    }
    #expect(trial.isOver == (kind == .immediate))
    if kind == .actor { host = nil }
    executor.runAll()
    #expect(trial.run().isOver)
    #expect(recorder.states == [])
    withExtendedLifetime(host) {}
  }

  @Test(
    "3.07: nor many that are cancelled and removed from the list while it waits, whoever joins afterwards",
    arguments: [false, true])
  func required_3_07_crowdCancelled(isFirst: Bool) {
    let host = ManualHost()
    defer { withExtendedLifetime(host) {} }
    func subscribe() -> Subscription {
      publisher.subscribe(recorder, on: .actor(host)) { recorder, state in recorder.receive(state) }
    }
    // The list of the lane removes these entries; the one that stays moves up if they come before it.
    var crowd = isFirst ? (0..<40).map { _ in subscribe() } : []
    let last = subscribe()
    if !isFirst { crowd = (0..<40).map { _ in subscribe() } }
    let trial = draining(publisher)
    for subscription in crowd { subscription.cancel() }
    #expect(!trial.run().isOver)
    let newcomer = subscribe()
    last.cancel()
    // Nothing of the moment of the call is left; the newcomer hasn't been served.
    #expect(trial.run().isOver)
    #expect(newcomer.statistics.pending == 1)
    host.executor.runAll()
    #expect(recorder.states == [.unknown])
  }

  @Test("3.07: a cancelled task returns early", arguments: ContextKind.holdable)
  func required_3_07_cancelledTask(kind: ContextKind) async throws {
    let held = await HeldDelivery(on: kind)
    defer { held.gate.open() }
    let (trial, other) = (draining(held.publisher), draining(held.publisher))
    trial.cancel()
    #expect(trial.run().isOver)
    #expect(!other.run().isOver)
    held.gate.open()
    try await other.finish()
  }

  @Test("3.07: the drain of delegates waits for the calls made before it", arguments: ContextKind.holdable)
  func required_3_07_delegates(kind: ContextKind) async throws {
    let (place, gate, group) = (Place(kind), Gate(), MulticastDelegate<Recorder<Int>>())
    defer { withExtendedLifetime(place) {} }
    defer { gate.open() }
    group.add(recorder, on: place.context)
    #expect(Trial { await group.drain() }.run().isOver)
    OwnThread.start {
      group.call { recorder in
        gate.pass()
        recorder.receive(.loaded(1))
      }
    }
    await gate.waitUntilHeld()
    group.call { $0.receive(.loaded(2)) }
    let trial = Trial { [recorder] in
      await group.drain()
      return recorder.states
    }
    #expect(!trial.run().isOver)
    gate.open()
    #expect(try await trial.finish() == [.loaded(1), .loaded(2)])
  }
}
