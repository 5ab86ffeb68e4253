import SubPub
import SubPubTesting
import Testing

/// Cancels are exact where the deliveries run.
extension Section3CancellationTests {
  @Test(
    "3.03: on its own serial context a cancel is quiescent, and nothing runs after it", arguments: ContextKind.serial)
  func required_3_03_ownContext(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let subscription = publisher.subscribe(recorder, on: place.context)
    publisher.updateData(1)
    await publisher.drain()
    try await place.run { [publisher, recorder] in
      // The context is here, so this waits.
      publisher.updateData(2)
      #expect(subscription.statistics.pending == 1)
      #expect(subscription.cancel() == .quiescent)
      publisher.updateData(3)
      #expect(recorder.states == [.unknown, .loaded(1)])
    }
    try await place.run {}
    #expect(recorder.states == [.unknown, .loaded(1)])
    #expect(subscription.statistics.skipped == 1)
  }

  @Test("3.03: the same in a task on a serial executor")
  func required_3_03_serialExecutor() async {
    let executor = QueueExecutor(label: "serial")
    let subscription = publisher.subscribe(recorder, on: .executor(executor))
    await publisher.drain()
    let outcome = await Task(executorPreference: executor) { [publisher] in
      publisher.updateData(1)
      return subscription.cancel()
    }.value
    #expect(outcome == .quiescent)
    await Task(executorPreference: executor) {}.value
    #expect(recorder.states == [.unknown])
  }

  @Test("3.03: and among the jobs of a manual executor, in any order of them", arguments: 0..<20 as Range<UInt64>)
  func required_3_03_manualExecutor(seed: UInt64) {
    let executor = ManualExecutor(seed: seed)
    let outcomes = Locked<[CancelOutcome]>([])
    let subscription = publisher.subscribe(recorder, on: .executor(executor))
    let counts = Locked<[Int]>([])
    for number in 1...3 { executor.schedule { [publisher] in publisher.updateData(number) } }
    executor.schedule { [recorder] in
      let outcome = subscription.cancel()
      outcomes.withLock { $0.append(outcome) }
      counts.withLock { $0.append(recorder.states.count) }
    }
    executor.runAll()
    #expect(outcomes.withLock { $0 } == [.quiescent])
    #expect(counts.withLock { $0 } == [recorder.states.count])
    #expect(subscription.statistics.pending == 0)
  }

  @Test(
    "3.03: on its own serial context it is never inFlight, however much is published", arguments: ContextKind.serial)
  func stochastic_3_03_ownContext(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    for _ in 0..<50 {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      let subscription = publisher.subscribe(recorder, on: place.context)
      let end = Event()
      try await Race.run(threads: 2) { thread in
        guard thread == 0 else {
          for number in 1...50 { publisher.updateData(number) }
          return
        }
        place.start {
          let outcome = subscription.cancel()
          let count = recorder.states.count
          #expect(outcome == .quiescent)
          // Behind whatever the context still had to do.
          place.start {
            #expect(recorder.states.count == count)
            end.happen()
          }
        }
      }
      try await end.wait()
    }
  }

  /// Lanes differ, the context is one.
  @Test(
    "3.03, 4.03: inside a callback, of any other subscription on the same serial context", arguments: ContextKind.serial
  )
  func required_3_03_4_03_insideAnotherLane(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let outcomes = Recorder<CancelOutcome>()
    let subscription = publisher.subscribe(recorder, on: place.independent)
    await publisher.drain()
    publisher.subscribe(outcomes, on: place.context) { [weak publisher] outcomes, state in
      guard state == .unknown else { return }
      publisher?.updateData(1)
      outcomes.receive(.loaded(subscription.cancel()))
    }
    try await outcomes.wait(count: 1)
    await publisher.drain()
    try await place.run {}
    #expect(outcomes.states.first?.value == .quiescent)
    #expect(recorder.states == [.unknown])
  }
}
