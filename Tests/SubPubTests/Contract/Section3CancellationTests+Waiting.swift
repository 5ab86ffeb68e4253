import SubPub
import SubPubTesting
import Testing

// Rule 3.04: `cancelAndWait()`.
extension Section3CancellationTests {
  /// What has been cancelled besides.
  enum Approach: String, CaseIterable, Codable, Sendable {
    case plain, cancelledBefore, taskCancelledBefore, taskCancelledMeanwhile
  }

  @Test("any number of tasks can wait for a delivery", arguments: ContextKind.holdable, Approach.allCases)
  func required_3_04_waits(kind: ContextKind, approach: Approach) async throws {
    let held = try await HeldDelivery(on: kind)
    held.publisher.updateData(2)
    let (subscription, recorder) = (held.subscription, held.recorder)
    if approach == .cancelledBefore { #expect(try await held.cancel() == .inFlight) }
    let trial = Trial {
      await subscription.cancelAndWait()
      return recorder.states.count
    }
    let others = (0..<3).map { _ in Trial { await subscription.cancelAndWait() } }
    if approach == .taskCancelledBefore { trial.cancel() }
    trial.run()
    #expect(others.allSatisfy { !$0.run().isOver })
    if approach == .taskCancelledMeanwhile { trial.cancel() }
    #expect(!trial.run().isOver)
    #expect(!subscription.isActive)
    held.gate.open()
    // A delivery records its state at its end.
    #expect(try await trial.finish() == 2)
    #expect(subscription.statistics.delivered == 2)
    for trial in others { try await trial.finish() }
    await held.publisher.drain()
    #expect(recorder.states == [.unknown, .loaded(1)])
  }

  @Test("cancelAndWait() doesn't wait for pending states", arguments: ContextKind.stoppable)
  func required_3_04_pending(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let subscription = try await place.whileStopped {
      let subscription = publisher.subscribe(recorder, on: place.context)
      #expect(Trial { await subscription.cancelAndWait() }.run().isOver)
      return subscription
    }
    await publisher.drain()
    #expect(subscription.statistics.skipped == 1)
    #expect(recorder.states == [])
  }

  @Test("cancelAndWait() returns at once inside the delivery itself", arguments: ContextKind.allCases)
  func required_3_04_inside(kind: ContextKind) async throws {
    let (own, returned, inline) = (Locked<Subscription?>(nil), Recorder<Bool>(), InlineExecutor())
    let subscription = publisher.subscribe(recorder, on: makePlace(kind).context) { recorder, state in
      guard state == .loaded(1) else { return recorder.receive(state) }
      let event = Event()
      // The task starts inside the delivery, on its thread.
      Task.detached(executorPreference: inline) {
        await own.withLock { $0 }?.cancelAndWait()
        event.happen()
      }
      recorder.receive(state)
      returned.receive(.loaded(event.count == 1))
    }
    own.withLock { $0 = subscription }
    publisher.updateData(1)
    try await returned.wait(count: 1)
    publisher.updateData(2)
    await publisher.drain()
    #expect(returned.states.first?.value == true)
    #expect(recorder.states == [.unknown, .loaded(1)])
    own.withLock { $0 = nil }
  }
}
