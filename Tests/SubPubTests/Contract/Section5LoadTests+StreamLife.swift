import SubPub
import SubPubTesting
import Testing

// Rule 5.21: keepingAlive, and one run at a time.
extension Section5LoadTests {
  @Test("the run ends keepingAlive after the last listener is gone, and not before")
  func required_5_21_keepingAlive() {
    let bench = StreamBench(keepingAlive: .seconds(10))
    let listener = bench.listen()
    bench.send(1)
    bench.leave(listener)
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect(bench.isRunning)
    bench.send(2)
    #expect(bench.publisher.state == .loaded(2))
    bench.pass(.nanoseconds(1))
    #expect(!bench.isRunning)
    #expect(bench.source.last.isOver)
    #expect(bench.clock.sleepers == 0)
    let next = bench.listen()
    #expect(bench.calls == 2)
    #expect(next.states == [.loaded(2), .loading(previous: 2)])
  }

  @Test("a listener within keepingAlive joins the run: nothing begins anew, is lost, or is repeated")
  func required_5_21_joinsInTime() {
    let bench = StreamBench(keepingAlive: .seconds(10))
    for number in 0..<5 {
      let listener = bench.listen()
      bench.send(2 * number)
      bench.leave(listener)
      bench.pass(.seconds(9))
      bench.send(2 * number + 1)
      let next = bench.listen()
      #expect(next.states == [.loaded(2 * number + 1)])
      // The earlier departure doesn't end it.
      bench.pass(.seconds(9))
      #expect(bench.clock.sleepers == 0)
      bench.leave(next)
    }
    bench.pass(.seconds(9))
    #expect(bench.isRunning)
    #expect(bench.calls == 1)
    bench.pass(.seconds(1))
    #expect(!bench.isRunning)
  }

  @Test("a departure doesn't end the run if somebody has come back, even if its clock ignores the cancellation")
  func required_5_21_cameBack() {
    let clock = StubbornClock()
    let bench = StreamBench(keepingAlive: .seconds(10), clock: clock)
    defer {
      clock.wakeAll()
      bench.run()
    }
    let listener = bench.listen()
    bench.send(1)
    bench.leave(listener)
    #expect(clock.sleepers == 1)
    // Its pause is over, and the task that ends the run hasn't run yet.
    clock.wakeAll()
    let next = Recorder<Int>()
    bench.publisher.subscribe(next, on: .immediate)
    bench.run()
    #expect(bench.isRunning)
    bench.leave(next)
    let last = Recorder<Int>()
    bench.publisher.subscribe(last, on: .immediate)
    clock.wakeAll()
    bench.run()
    #expect(bench.isRunning)
    bench.send(2)
    #expect(last.states == [.loaded(1), .loaded(2)])
    #expect(bench.calls == 1)
  }

  @Test("if keepingAlive can't be measured, the run ends, and with a century or more it never does")
  func required_5_21_noTime() {
    let broken = StreamBench(keepingAlive: .seconds(10), clock: BrokenClock())
    broken.leave(broken.listen())
    #expect(!broken.isRunning)
    let endless = StreamBench(keepingAlive: .seconds(Int64.max), clock: ContinuousClock())
    endless.leave(endless.listen())
    #expect(endless.isRunning)
    endless.send(1)
    #expect(endless.listen().states == [.loaded(1)])
    #expect(endless.calls == 1)
  }

  @Test("a new run waits for the iterator of the last one, even if that ignores its cancellation")
  func required_5_21_oneAtATime() {
    let bench = StreamBench(isStubborn: true)
    var listener = bench.listen()
    for _ in 0..<3 {
      bench.leave(listener)
      #expect(!bench.isRunning)
      listener = bench.listen()
      #expect(bench.isRunning)
    }
    #expect(listener.states == [.unknown, .loading(previous: nil)])
    #expect(bench.calls == 1)
    #expect(bench.source.last.isCancelled)
    // The element that ends the wait belongs to no active run.
    bench.send(1)
    #expect(bench.calls == 2)
    #expect(bench.publisher.state == .loading(previous: nil))
    #expect(bench.source.runs[0].isOver)
    bench.send(2)
    #expect(listener.states.last == .loaded(2))
    #expect(bench.source.depth.deepest == 1)
    // And if nobody is left by the time when it returns, none begins.
    bench.leave(listener)
    bench.leave(bench.listen())
    bench.send(3)
    #expect(bench.calls == 2)
    #expect(bench.source.last.isOver)
    listener = bench.listen()
    #expect(bench.calls == 3)
  }
}
