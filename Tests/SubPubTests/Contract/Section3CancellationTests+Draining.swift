import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 3.07: `drain()`.
extension Section3CancellationTests {
  func draining(_ publisher: Publisher<Int>) -> Trial<Void> {
    Trial { await publisher.drain() }.run()
  }

  @Test("drains return when everyone has been served", arguments: ContextKind.allCases, BufferingPolicy.oneOfEach)
  func required_3_07_served(kind: ContextKind, policy: BufferingPolicy) async throws {
    let place = makePlace(kind)
    let recorders = (0..<3).map { _ in Recorder<Int>() }
    let subscriptions = recorders.map { publisher.subscribe($0, on: place.context, buffering: policy) }
    for last in [50, 100] {
      for number in last - 49...last { publisher.updateData(number) }
      if last == 50 { await publisher.drain() } else { try await publisher.drain(within: .seconds(3_600)) }
      // With nobody to wait for, no limit is too short.
      for limit in [Duration.zero, .seconds(-1)] { try await publisher.drain(within: limit) }
      for (recorder, subscription) in zip(recorders, subscriptions) {
        let statistics = subscription.statistics
        #expect(recorder.states.last == .loaded(last))
        #expect(statistics.lastVersion == UInt64(last))
        #expect(statistics.delivered + statistics.skipped == last + 1)
        #expect(statistics.delivered == recorder.states.count)
      }
    }
  }

  @Test("drain() waits for no newcomer, even if the lane delivers the same state to it")
  func required_3_07_newcomerHeld() async throws {
    let (queue, gate) = (DispatchQueue(label: "queue"), Gate())
    defer { gate.open() }
    queue.suspend()
    publisher.subscribe(recorder, on: .queue(queue))
    let drain = draining(publisher)
    #expect(!drain.isOver)
    publisher.subscribe(makeListener(), on: .queue(queue)) { _, _ in gate.pass() }
    queue.resume()
    try await gate.waitUntilHeld()
    try await drain.finish()
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

  @Test("drain() waits for those behind a held one", arguments: ContextKind.holdableShared)
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

  @Test("a cancelled task returns early from a drain", arguments: ContextKind.holdable, [true, false])
  func required_3_07_cancelledTask(kind: ContextKind, hasLimit: Bool) async throws {
    let held = try await HeldDelivery(on: kind)
    let (publisher, clock) = (held.publisher, ManualClock())
    let trials = (0..<2).map { _ in
      hasLimit ? Trial { try? await publisher.drain(within: .seconds(5), clock: clock) } : draining(publisher)
    }
    for trial in trials { #expect(!trial.run().isOver) }
    trials[0].cancel()
    try await trials[0].finish()
    #expect(!trials[1].run().isOver)
    held.gate.open()
    try await trials[1].finish()
  }

  @Test("drain() waits until next() has returned the state, and doesn't wait for a released iterator")
  func required_3_07_sequences() {
    publisher.updateData(1)
    let consumer = Consumer(publisher.states())
    let trial: Trial<Void>
    do {
      let idle = publisher.states().makeAsyncIterator()
      consumer.run()
      publisher.updateData(2)
      trial = draining(publisher)
      #expect(!trial.isOver)
      consumer.run()
      #expect(!trial.run().isOver)
      withExtendedLifetime(idle) {}
    }
    #expect(trial.run().isOver)
    #expect(consumer.states == [.loaded(1), .loaded(2)])
    consumer.cancel()
    #expect(consumer.run().isOver)
  }
}
