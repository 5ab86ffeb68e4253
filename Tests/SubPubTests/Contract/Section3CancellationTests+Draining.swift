import SubPub
import SubPubTesting
import Testing

// Rule 3.07: `drain()`. `DrainTests` has more tests of it, on one context.
extension Section3CancellationTests {
  func draining(_ publisher: Publisher<Int>) -> Trial<Void> {
    Trial { await publisher.drain() }.run()
  }

  @Test("drain() returns when everyone has been served", arguments: ContextKind.allCases, BufferingPolicy.oneOfEach)
  func required_3_07_served(kind: ContextKind, policy: BufferingPolicy) async {
    let place = makePlace(kind)
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

  @Test("drain() waits for a delivery under way", arguments: ContextKind.holdable)
  func required_3_07_held(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
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

  @Test("drain() waits for the subscriptions behind a held one", arguments: ContextKind.holdableShared)
  func required_3_07_behindHeld(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
    let (publisher, recorder) = (held.publisher, recorder)
    // Its replay is the state of the round under way.
    publisher.subscribe(recorder, on: held.place.context)
    let trial = Trial {
      await publisher.drain()
      return recorder.states
    }
    #expect(!trial.run().isOver)
    held.gate.open()
    #expect(try await trial.finish() == [.loaded(1)])
  }

  @Test("drain() doesn't wait for a cancelled delivery under way", arguments: ContextKind.holdable)
  func required_3_07_cancelledInFlight(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
    let trial = draining(held.publisher)
    #expect(!trial.isOver)
    #expect(try await held.cancel() == .inFlight)
    #expect(trial.run().isOver)
    #expect(held.gate.held == 1)
    held.gate.open()
    try await held.deaths.wait()
  }

  @Test("drain() doesn't wait for a subscription cancelled before its turn", arguments: ContextKind.holdableShared)
  func required_3_07_cancelledBehindHeld(kind: ContextKind) async throws {
    let (held, gate) = (try await HeldDelivery(on: kind), makeGate())
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

  @Test("drain() doesn't wait for a subscriber or an actor that has died", arguments: ManualPlace.Kind.allCases)
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

  @Test("drain() waits neither for cancelled nor for new subscribers", arguments: [false, true])
  func required_3_07_crowdCancelled(isFirst: Bool) {
    let host = keep(ManualHost())
    func subscribe() -> Subscription {
      publisher.subscribe(recorder, on: .actor(host)) { recorder, state in recorder.receive(state) }
    }
    // The lane removes these entries; the one that stays moves up if they come before it.
    var crowd = isFirst ? (0..<40).map { _ in subscribe() } : []
    let last = subscribe()
    if !isFirst { crowd = (0..<40).map { _ in subscribe() } }
    let trial = draining(publisher)
    for subscription in crowd { subscription.cancel() }
    #expect(!trial.run().isOver)
    let newcomer = subscribe()
    last.cancel()
    // The newcomer hasn't been served, and wasn't there at the call.
    #expect(trial.run().isOver)
    #expect(newcomer.statistics.pending == 1)
    host.executor.runAll()
    #expect(recorder.states == [.unknown])
  }

  @Test("a cancelled task returns early from drain()", arguments: ContextKind.holdable)
  func required_3_07_cancelledTask(kind: ContextKind) async throws {
    let held = try await HeldDelivery(on: kind)
    let (trial, other) = (draining(held.publisher), draining(held.publisher))
    trial.cancel()
    #expect(trial.run().isOver)
    #expect(!other.run().isOver)
    held.gate.open()
    try await other.finish()
  }

  @Test("drain() of delegates waits for the calls made before it", arguments: ContextKind.holdable)
  func required_3_07_delegates(kind: ContextKind) async throws {
    let (place, gate, group) = (makePlace(kind), makeGate(), MulticastDelegate<Recorder<Int>>())
    group.add(recorder, on: place.context)
    #expect(Trial { await group.drain() }.run().isOver)
    OwnThread.start {
      group.call { recorder in
        gate.pass()
        recorder.receive(.loaded(1))
      }
    }
    try await gate.waitUntilHeld()
    group.call { $0.receive(.loaded(2)) }
    let trial = Trial { [recorder] in
      await group.drain()
      return recorder.states
    }
    #expect(!trial.run().isOver)
    gate.open()
    #expect(try await trial.finish() == [.loaded(1), .loaded(2)])
  }

  @Test("drain() doesn't wait for a newcomer that replays the same state", arguments: ContextKind.holdableShared)
  func required_3_07_newcomerInLane(kind: ContextKind) async throws {
    let (held, gate) = (try await HeldDelivery(on: kind), makeGate())
    let publisher = held.publisher
    let trial = draining(publisher)
    #expect(!trial.isOver)
    publisher.subscribe(recorder, on: held.place.context) { recorder, state in
      gate.pass()
      recorder.receive(state)
    }
    held.gate.open()
    try await gate.waitUntilHeld()
    // The newcomer's replay is under way.
    try await trial.finish()
    #expect(gate.held == 1)
    gate.open()
    await publisher.drain()
    #expect(recorder.states == [.loaded(1)])
  }

  @Test(
    "no drain waits for a cancelled subscription's delivery, whoever else is in its lane",
    arguments: ContextKind.holdableShared, [false, true])
  func required_3_07_cancelledBehindOthers(kind: ContextKind, isCancelledFirst: Bool) async throws {
    let (publisher, place, gate) = (publisher, makePlace(kind), makeGate())
    publisher.subscribe(recorder, on: place.context)
    let held = publisher.subscribe(makeListener(), on: place.context) { _, state in
      if state == .loaded(1) { gate.pass() }
    }
    await publisher.drain()
    OwnThread.start { publisher.updateData(1) }
    try await gate.waitUntilHeld()
    if isCancelledFirst { #expect(try await OwnThread.result { held.cancel() } == .inFlight) }
    let trial = draining(publisher)
    if !isCancelledFirst {
      #expect(!trial.isOver)
      #expect(try await OwnThread.result { held.cancel() } == .inFlight)
    }
    try await trial.finish()
    #expect(gate.held == 1)
  }

  @Test("no drain waits for a newcomer that joins a pending round")
  func required_3_07_newcomerInRound() async throws {
    let (place, gate) = (makePlace(StoppablePlace.Kind.queue), makeGate())
    publisher.subscribe(recorder, on: place.context)
    await publisher.drain()
    place.stop()
    publisher.updateData(1)
    let trial = draining(publisher)
    publisher.subscribe(makeListener(), on: place.context) { _, _ in gate.pass() }
    place.resume()
    try await gate.waitUntilHeld()
    try await trial.finish()
    #expect(recorder.states == [.unknown, .loaded(1)])
  }
}
