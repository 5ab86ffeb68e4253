import SubPub
import SubPubTesting
import Testing

// Rule 5.21: how long an element is waited for.
extension Section5LoadTests {
  /// Two attempts, a second apart.
  private static let twice = RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) }
  private static let timedOut = LoadTimedOut(timeout: .seconds(5))

  @Test("when no element has come for elementTimeout, the state is an error, and then retry decides")
  func required_5_21_elementTimeout() {
    let bench = StreamBench(retry: Self.twice, elementTimeout: .seconds(5))
    let log = bench.listen()
    for element in 1...3 {
      bench.pass(.seconds(5) - .nanoseconds(1))
      bench.send(element)
      // One task sleeps, however many elements there were.
      #expect((log.states.last, bench.clock.sleepers) == (.loaded(element), 1))
    }
    bench.pass(.seconds(5) - .nanoseconds(1))
    #expect(log.states.last == .loaded(3))
    bench.pass(.nanoseconds(1))
    #expect((log.states.last, bench.isRunning) == (.error(Self.timedOut, previous: 3), true))
    #expect(bench.source.last.isCancelled)
    bench.pass(.seconds(1))
    #expect((log.states.last, bench.calls) == (.loading(previous: 3), 2))
    // The first element is waited for as long as each other, and without one the attempts run out.
    bench.pass(.seconds(5))
    #expect((log.states.last, bench.isRunning) == (.error(Self.timedOut, previous: 3), false))
    #expect((bench.clock.sleepers, bench.source.last.isOver) == (0, true))
  }

  @Test("a clock that is set back makes a wait for an element longer once, by as much as it was meant to take")
  func required_5_21_setBack() {
    let clock = CountingClock(waitsForTime: false)
    let bench = StreamBench(clock: clock, elementTimeout: .seconds(5))
    let log = bench.listen()
    func pass(_ duration: Duration) {
      clock.manual.advance(by: duration)
      bench.run()
    }
    pass(.seconds(4))
    clock.jump(by: .seconds(-3_600))
    pass(.seconds(1))
    pass(.seconds(5) - .nanoseconds(1))
    #expect(log.states.last == .loading(previous: nil))
    pass(.nanoseconds(1))
    #expect(log.states.last == .error(Self.timedOut, previous: nil))
  }

  @Test("a sequence that ignores its cancellation delays the next call of stream, and no time-out")
  func required_5_21_stubbornTimeout() {
    let bench = StreamBench(retry: Self.twice, isStubborn: true, elementTimeout: .seconds(5))
    let log = bench.listen()
    bench.send(1)
    bench.pass(.seconds(5))
    #expect(log.states.last == .error(Self.timedOut, previous: 1))
    // A late element of the attempt that is over.
    let first = bench.source.last
    bench.pass(.seconds(1))
    #expect((bench.calls, log.states.last) == (1, .loading(previous: 1)))
    bench.pass(.seconds(5))
    #expect((bench.calls, bench.isRunning) == (1, false))
    bench.refreshIfNeeded()
    #expect((bench.calls, log.states.last) == (1, .loading(previous: 1)))
    first.send(2)
    bench.run()
    #expect((bench.calls, log.states.last, first.isOver) == (2, .loading(previous: 1), true))
    bench.send(3)
    #expect((log.states.last, bench.source.depth.deepest) == (.loaded(3), 1))
  }

  @Test("a late element of an attempt that is over isn't published")
  func required_5_21_lateElement() {
    let bench = StreamBench(retry: Self.twice, isStubborn: true, elementTimeout: .seconds(5))
    let log = bench.listen()
    bench.pass(.seconds(5))
    bench.send(1)
    #expect((log.states.last, bench.source.last.isOver) == (.error(Self.timedOut, previous: nil), true))
    bench.pass(.seconds(1))
    #expect(bench.calls == 2)
  }

  @Test("the time in which an element is delivered on the publishing thread doesn't count")
  func required_5_21_slowDelivery() {
    let bench = StreamBench(elementTimeout: .seconds(5))
    bench.publisher.subscribe(makeListener(), on: .immediate) { [clock = bench.clock] _, state in
      if state == .loaded(1) { clock.advance(by: .seconds(60)) }
    }
    bench.run()
    bench.send(1)
    #expect(bench.publisher.state == .loaded(1))
    bench.pass(.seconds(4))
    #expect(bench.publisher.state == .loaded(1))
    bench.pass(.seconds(5))
    #expect(bench.publisher.state == .error(Self.timedOut, previous: 1))
  }

  @Test("the time-out ends with the run, and with a century or more there is none")
  func required_5_21_noTimeout() {
    let bench = StreamBench(elementTimeout: .seconds(5))
    let listener = bench.listen()
    bench.send(1)
    bench.leave(listener)
    #expect((bench.publisher.state, bench.clock.sleepers) == (.loaded(1), 0))
    let ending = bench.listen()
    bench.end()
    bench.pass(.seconds(5))
    #expect((ending.states.last, bench.clock.sleepers) == (.loaded(1), 0))
    let endless = StreamBench(elementTimeout: .seconds(Int64.max))
    _ = endless.listen()
    #expect((endless.isRunning, endless.clock.sleepers) == (true, 0))
  }

  @Test("a clock that fails while an element is waited for is an error")
  func required_5_21_timeoutWithoutClock() {
    let bench = StreamBench(clock: BrokenClock(), elementTimeout: .seconds(5))
    let log = bench.listen()
    #expect((log.states.last?.phase, bench.isRunning) == (.error, false))
  }
}
