import SubPub
import SubPubTesting
import Testing

/// `drain(within:)`.
extension Section3CancellationTests {
  @Test("3.07: within the limit it returns as drain() does", arguments: ContextKind.allCases)
  func required_3_07_withinServed(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    publisher.subscribe(recorder, on: place.context)
    for number in 1...20 { publisher.updateData(number) }
    try await publisher.drain(within: .seconds(100))
    #expect(recorder.states.count == 21)
  }

  @Test("3.07: with nobody to wait for, no limit is too short")
  func required_3_07_withinNobody() async throws {
    try await publisher.drain(within: .zero)
    publisher.subscribe(recorder, on: .immediate)
    try await publisher.drain(within: .zero)
    try await publisher.drain(within: .seconds(-1))
  }

  @Test("3.07: at the limit it throws, and names the subscriptions that are late and no others")
  func required_3_07_withinLate() async throws {
    let (publisher, clock) = (publisher, ManualClock())
    let (first, second) = (ManualExecutor(), ManualExecutor())
    let (onTime, late, bounded) = (recorder, Recorder<Int>(), Recorder<Int>())
    let served = publisher.subscribe(onTime, on: .executor(first))
    let unserved = publisher.subscribe(late, on: .executor(second))
    let latest = publisher.subscribe(bounded, on: .executor(second), buffering: .latest)
    publisher.updateData(1)
    let trial = Trial { () -> DrainTimedOut? in
      do { try await publisher.drain(within: .seconds(5), clock: clock) } catch let error as DrainTimedOut {
        return error
      }
      return nil
    }
    trial.run()
    await clock.waitForSleepers(1)
    first.runAll()
    #expect(!trial.run().isOver)
    clock.advance(by: .seconds(5))
    let error = try #require(try await trial.finish())
    #expect(error.limit == .seconds(5))
    #expect(Set(error.subscriptions) == [unserved, latest])
    #expect("\(error)".hasPrefix("after 5.0 seconds these subscriptions are late: Recorder<Int> on executor"))
    #expect(served.statistics.delivered == 2)
    // A drain that was given up is forgotten, and the next one waits again.
    second.runAll()
    try await publisher.drain(within: .seconds(5), clock: clock)
    #expect(bounded.states == [.loaded(1)])
  }

  @Test("3.07: a delivery that is under way is late; so is an iterator that hasn't taken its state")
  func required_3_07_withinUnderWay() async throws {
    let held = await HeldDelivery(on: .background)
    defer { held.gate.open() }
    let iterator = held.publisher.states().makeAsyncIterator()
    do {
      try await held.publisher.drain(within: .zero)
      Issue.record("a delivery is under way")
    } catch let error as DrainTimedOut {
      #expect(error.subscriptions.count == 2)
      #expect(error.subscriptions.contains { $0.statistics.pending == 0 && $0.context == .background })
      #expect(error.subscriptions.contains { $0.statistics.pending == 1 })
    }
    withExtendedLifetime(iterator) {}
  }

  @Test("3.07: a cancelled task returns early from it")
  func required_3_07_withinCancelled() async throws {
    let (publisher, executor, clock) = (publisher, ManualExecutor(), ManualClock())
    publisher.subscribe(recorder, on: .executor(executor))
    let trial = Trial { try? await publisher.drain(within: .seconds(5), clock: clock) }
    #expect(!trial.run().isOver)
    trial.cancel()
    try await trial.finish()
    #expect(recorder.states == [])
  }

  /// A clock that can't sleep.
  private struct BrokenClock: Clock {
    struct Broken: Error {}
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw Broken() }
  }

  @Test("3.07: a clock that fails ends the wait with its error")
  func required_3_07_withinBrokenClock() async {
    publisher.subscribe(recorder, on: .executor(ManualExecutor()))
    await #expect(throws: BrokenClock.Broken.self) {
      try await publisher.drain(within: .seconds(5), clock: BrokenClock())
    }
  }
}
