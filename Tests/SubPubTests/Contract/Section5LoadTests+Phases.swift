import SubPub
import SubPubTesting
import Testing

// Rules 5.01, 5.02 and 5.06, for publishers without a manager.
extension Section5LoadTests {
  @Test("previous data survives loading and errors, while setState and update set exactly what they are given")
  func required_5_01_previousData() {
    let publisher = Publisher<Int>()
    publisher.updateData(1)
    for operation in [
      Operation.startLoading, .setError, .setError, .startLoading, .startLoading, .publish, .setError,
    ] {
      operation.perform(at: publisher)
      #expect(publisher.state.value == 1)
    }
    publisher.setState(.error(Failure.denied, previous: nil))
    publisher.startLoading()
    #expect(publisher.state == .loading(previous: nil))
    publisher.update { _ in .error(Failure.denied, previous: 5) }
    publisher.startLoading()
    #expect(publisher.state == .loading(previous: 5))
  }

  @Test("reset() clears previous data before any subscriber sees the new state")
  func required_5_02_reset() {
    let (publisher, recorder) = (Publisher<Int>(), Recorder<Int>())
    publisher.updateData(1)
    publisher.subscribe(recorder, on: .immediate)
    publisher.reset()
    publisher.startLoading()
    publisher.setError(Failure.offline)
    #expect(recorder.states.map(\.value) == [1, nil, nil, nil])
  }

  @Test("data becomes stale when staleAfter has passed, and not before, however it is published")
  func required_5_06_boundary() {
    let clock = ManualClock()
    let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
    #expect(publisher.staleAfter == .seconds(60))
    let publications: [(Publisher<Int>) -> Void] = [
      { $0.updateData(2) }, { $0.setState(.loaded(2)) }, { $0.update { _ in .loaded(2) } },
      { $0.updateData(ifChanged: 2) },
    ]
    for publish in publications {
      publisher.updateData(1, age: .seconds(60))
      #expect(publisher.isStale)
      publish(publisher)
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(60) - .nanoseconds(1))
      #expect(!publisher.isStale)
      clock.advance(by: .nanoseconds(1))
      #expect(publisher.isStale)
    }
    let atOnce = Publisher<Int>(staleAfter: .zero)
    atOnce.updateData(1, age: .zero)
    #expect(atOnce.isStale)
  }

  @Test("previous data is as stale as it was, and without data nothing is stale, however long a phase lasts")
  func required_5_06_otherPhases() {
    let clock = ManualClock()
    let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
    for operation in [Operation.startLoading, .setError, .publish] {
      publisher.reset()
      clock.advance(by: .seconds(61))
      #expect(!publisher.isStale)
      operation.perform(at: publisher)
      clock.advance(by: .seconds(61))
      #expect(!publisher.isStale)
      publisher.updateData(1, age: .seconds(30))
      operation.perform(at: publisher)
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(30))
      #expect(publisher.isStale)
      operation.perform(at: publisher)
      #expect(publisher.isStale)
    }
  }

  @Test("previous data that is published by hand is as stale as the data at hand, and new if there is none")
  func required_5_06_previousByHand() {
    let clock = ManualClock()
    let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
    let publications: [(Publisher<Int>) -> Void] = [
      { $0.setState(.loading(previous: 1)) }, { $0.setState(.error(Failure.offline, previous: 1)) },
      { $0.update { .loading(previous: $0.value ?? 1) } },
      { $0.update { .error(Failure.offline, previous: $0.value ?? 1) } },
    ]
    for publish in publications {
      publisher.updateData(1, age: .seconds(30))
      publish(publisher)
      #expect(publisher.age(of: publisher.current) == .seconds(30))
      clock.advance(by: .seconds(30))
      #expect(publisher.isStale)
      publish(publisher)
      #expect(publisher.isStale)
      publisher.reset()
      publish(publisher)
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(60))
      #expect(publisher.isStale)
      // What was invalidated is the data at hand, of which there is none.
      let manager = LoadingManager<Int>(staleAfter: .seconds(60), clock: clock) { 0 }
      manager.invalidate()
      publish(manager.publisher)
      #expect(!manager.publisher.isStale)
      manager.invalidate()
      publish(manager.publisher)
      #expect(manager.publisher.isStale)
    }
  }

  @Test("the clock is read only for loaded data and isStale; without staleAfter never, and nothing becomes stale")
  func required_5_06_5_21_readings() {
    let clock = CountingClock()
    let never = Publisher<Int>(staleAfter: nil, clock: clock)
    never.updateData(1, age: .seconds(1_000_000))
    never.updateData(ifChanged: 3)
    for operation in Operation.allCases { operation.perform(at: never) }
    never.setState(.loaded(2))
    #expect((never.isStale, never.staleAfter) == (false, nil))
    // Neither does a manager, or a stream.
    let bench = LoadBench(clock: clock)
    bench.refreshIfNeeded()
    bench.answer(0, 1)
    bench.refreshIfNeeded()
    bench.cancel(bench.refresh(restarting: true))
    bench.refresh()
    bench.fail(2)
    bench.logout()
    let stream = StreamBench(clock: clock)
    _ = stream.listen()
    stream.send(1, 2)
    #expect((clock.readings, bench.source.calls) == (0, 3))
    let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
    let before = clock.readings
    publisher.startLoading()
    publisher.setError(Failure.offline)
    publisher.reset()
    #expect((publisher.isStale, clock.readings) == (false, before))
    publisher.updateData(1)
    #expect((clock.readings, publisher.isStale) == (before + 1, false))
    #expect(clock.readings == before + 2)
  }
}
