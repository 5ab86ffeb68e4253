import SubPub
import SubPubTesting
import Testing

// Rule 2.12: `latest(every:)`.
extension Section2SubscriptionTests {
  private static let pace = BufferingPolicy.latest(every: .seconds(1))

  @Test("deliveries are an interval apart, and the newest state comes", arguments: ContextKind.asynchronous)
  func required_2_12_pace(kind: ContextKind) async throws {
    let (clock, place) = (ManualClock(), makePlace(kind))
    let publisher = Publisher<Int>(clock: clock)
    let subscription = publisher.subscribe(recorder, on: place.context, buffering: Self.pace)
    try await recorder.wait(count: 1)
    try await clock.waitForSleepers(1)
    for number in 1...3 { publisher.updateData(number) }
    clock.advance(by: .milliseconds(999))
    try await place.run {}
    #expect(recorder.states == [.unknown])
    #expect(subscription.statistics.pending == 1)
    clock.advance(by: .milliseconds(1))
    try await recorder.wait(count: 2)
    try await clock.waitForSleepers(1)
    // Nothing is pending when the rest ends, so the next state comes at once.
    clock.advance(by: .seconds(1))
    publisher.updateData(4)
    try await recorder.wait(count: 3)
    #expect(recorder.states == [.unknown, .loaded(3), .loaded(4)])
    await publisher.drain()
    let statistics = subscription.statistics
    #expect((statistics.delivered, statistics.skipped) == (3, 2))
  }

  @Test("a sequence waits for the interval, too")
  func required_2_12_6_01_sequence() async throws {
    let clock = ManualClock()
    let publisher = Publisher<Int>(clock: clock)
    let trial = Trial { [recorder] in
      for await state in publisher.states(buffering: Self.pace) { recorder.receive(state) }
    }
    trial.run()
    #expect(recorder.states == [.unknown])
    for number in 1...3 {
      try await clock.waitForSleepers(1)
      publisher.updateData(number)
      publisher.updateData(10 * number)
      trial.run()
      #expect(recorder.states.count == number)
      clock.advance(by: .milliseconds(999))
      #expect(clock.sleepers == 1)
      clock.advance(by: .milliseconds(1))
      await trial.executor.waitForPending(1)
      trial.run()
    }
    try await clock.waitForSleepers(1)
    publisher.updateData(40)
    publisher.finish()
    #expect(!trial.run().isOver)
    clock.advance(by: .seconds(1))
    try await trial.finish()
    #expect(recorder.states == [.unknown, .loaded(10), .loaded(20), .loaded(30), .loaded(40)])
  }

  @Test("the interval begins with a delivery, however long that takes")
  func required_2_12_fromTheBeginning() async throws {
    let (clock, held) = (ManualClock(), makeHeldRecorder())
    let publisher = Publisher<Int>(clock: clock)
    publisher.subscribe(held, on: makePlace(.queue).context, buffering: Self.pace)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    try await held.hold(publisher)
    clock.advance(by: .seconds(5))
    publisher.updateData(2)
    held.gate.open()
    try await held.wait(count: 3)
    #expect(held.versions == [0, 1, 2])
  }

  @Test("neither a cancel nor the end waits for the interval, unless something is pending")
  func required_2_12_3_05_ending() async throws {
    let (clock, deaths) = (ManualClock(), Deaths())
    let publisher = Publisher<Int>(clock: clock)
    let subscriptions = (0..<3).map { _ in
      publisher.subscribe(recorder, on: makePlace(.queue).context, buffering: Self.pace, capturing: deaths)
    }
    try await clock.waitForSleepers(3)
    #expect(subscriptions[0].cancel() == .quiescent)
    #expect(deaths.count == 1)
    publisher.finish()
    #expect(subscriptions.map(\.end) == [.cancelled, .publisherEnded, .publisherEnded])
    #expect(deaths.count == 3)
    clock.advance(by: .seconds(1))
  }

  @Test("a clock that is set back during a delivery holds up the next one by no more than the interval")
  func required_2_12_setBack() async throws {
    let (clock, held) = (CountingClock(waitsForTime: false), makeHeldRecorder())
    let publisher = Publisher<Int>(clock: clock)
    publisher.subscribe(held, on: makePlace(.queue).context, buffering: Self.pace)
    try await clock.manual.waitForSleepers(1)
    clock.manual.advance(by: .seconds(1))
    try await held.hold(publisher)
    clock.jump(by: .seconds(-3_600))
    publisher.updateData(2)
    held.gate.open()
    try await clock.manual.waitForSleepers(1)
    #expect(clock.manual.deadlines == [clock.manual.now.advanced(by: .seconds(1))])
    clock.manual.advanceToNextDeadline()
    try await held.wait(count: 3)
    #expect(held.versions == [0, 1, 2])
  }

  @Test("a failing clock holds up nothing")
  func required_2_12_failingClock() async throws {
    let publisher = Publisher<Int>(clock: BrokenClock())
    publisher.subscribe(recorder, on: .background, buffering: .latest(every: .seconds(1_000)))
    try await recorder.wait(count: 1)
    publisher.updateData(1)
    try await recorder.wait(count: 2)
  }

  @Test(
    "a paced subscription shares no lane, and replaces and is replaced like any other",
    arguments: ContextKind.asynchronous)
  func required_2_12_2_06_replacing(kind: ContextKind) async throws {
    let (clock, place) = (ManualClock(), makePlace(kind))
    let publisher = Publisher<Int>(clock: clock)
    let steady = Recorder<Int>()
    publisher.subscribe(steady, on: place.context)
    publisher.subscribe(recorder, on: place.context)
    await publisher.drain()
    publisher.subscribe(recorder, on: place.context, buffering: Self.pace, ifDuplicate: .replace)
    try await clock.waitForSleepers(1)
    publisher.updateData(1)
    try await steady.wait(count: 2)
    #expect(recorder.states == [.unknown, .unknown])
    publisher.subscribe(recorder, on: place.context, ifDuplicate: .replace)
    await publisher.drain()
    #expect(recorder.states == [.unknown, .unknown, .loaded(1)])
  }
}
