import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

// Rule 5.21: keepingAlive, one run at a time, and listeners on real threads.
extension Section5LoadTests {
  @Test("refresh doesn't call a finite stream again that has ended before its request")
  func required_5_21_refreshOnce() async {
    let calls = Event()
    let manager = StreamManager<Int>(
      LoadingOptions(on: EagerExecutor(), clock: ContinuousClock()), keepingAlive: .zero
    ) {
      calls.happen()
      return AsyncStream { elements in
        elements.yield(calls.count)
        elements.finish()
      }
    }
    #expect(await manager.refresh() == .loaded(1))
    #expect(calls.count == 1)
  }

  /// A task executor that has run a job on another thread when `enqueue` returns.
  private final class EagerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "eager", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
      let (job, done) = (UnownedJob(job), DispatchSemaphore(value: 0))
      queue.async {
        unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        done.signal()
      }
      done.wait()
    }
  }

  @Test("threads that subscribe and ask at once begin one run")
  func stochastic_5_21_begunOnce() async throws {
    let source = CountedStream()
    let manager = source.makeManager()
    for round in 1...300 {
      let listeners = (0..<3).map { _ in StreamListener(source) }
      try await Race.run(threads: 4) { thread in
        guard thread < 3 else { return manager.refreshIfNeeded() }
        manager.publisher.subscribe(listeners[thread], on: .immediate)
        listeners[thread].waitForElement()
      }
      #expect(source.runs == round)
      for listener in listeners { manager.publisher.unsubscribe(listener) }
      #expect(!manager.isRunning)
    }
    #expect(source.violations == [])
  }

  @Test("managers that are released while listeners come leave no run behind")
  func stochastic_5_21_5_09_release() async throws {
    let closed = Event()
    let source = CountedStream { closed.happen() }
    for _ in 0..<500 {
      let manager = Locked<StreamManager<CountedStream.Element>?>(source.makeManager())
      let publisher = try #require(manager.withLock { $0 }).publisher
      let object = Deaths().makeToken()
      try await Race.run(threads: 2) { thread in
        if thread == 0 {
          publisher.subscribe(object, on: .immediate) { _, _ in }
        } else {
          let released = manager.withLock { $0.take() }
          withExtendedLifetime(released) {}
        }
      }
      #expect(publisher.state.phase != .loading)
    }
    try await closed.wait(count: source.runs)
  }

  @Test("the run ends keepingAlive after the last listener is gone, and not before")
  func required_5_21_keepingAlive() {
    let bench = StreamBench(keepingAlive: .seconds(10))
    let listener = bench.listen()
    bench.send(1)
    bench.leave(listener)
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect(bench.isRunning)
    #expect(bench.send(2) == .loaded(2))
    bench.pass(.nanoseconds(1))
    #expect((bench.isRunning, bench.source.last.isOver, bench.clock.sleepers) == (false, true, 0))
    let next = bench.listen()
    #expect((bench.calls, next.states) == (2, [.loaded(2), .loading(previous: 2)]))
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
    #expect((endless.listen().states, endless.calls) == ([.loaded(1)], 1))
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
    #expect((listener.states, bench.calls) == ([.unknown, .loading(previous: nil)], 1))
    #expect(bench.source.last.isCancelled)
    // The element that ends the wait belongs to no active run.
    bench.send(1)
    #expect((bench.calls, bench.publisher.state) == (2, .loading(previous: nil)))
    #expect(bench.source.runs[0].isOver)
    bench.send(2)
    #expect((listener.states.last, bench.source.depth.deepest) == (.loaded(2), 1))
    // And if nobody is left by the time when it returns, none begins.
    bench.leave(listener)
    bench.leave(bench.listen())
    bench.send(3)
    #expect((bench.calls, bench.source.last.isOver) == (2, true))
    listener = bench.listen()
    #expect(bench.calls == 3)
  }

  @Test("an error of a stream, and the loading after it, keep the origin of the previous data")
  func required_5_21_originAfterError() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) })
    let log = bench.listen()
    bench.send(1)
    bench.fail()
    bench.pass(.seconds(1))
    bench.fail()
    #expect(!bench.isRunning)
    #expect(log.states.map(\.phase) == [.unknown, .loading, .loaded, .error, .loading, .error])
    #expect(log.publications.dropFirst(2).allSatisfy { $0.origin == .loaded })
  }

  @Test("a departure is cancelled when somebody comes back, so that its clock needn't wait")
  func required_5_21_departureCancelled() {
    let bench = StreamBench(keepingAlive: .seconds(10))
    let listener = bench.listen()
    bench.send(1)
    bench.leave(listener)
    #expect(bench.clock.sleepers == 1)
    let next = bench.listen()
    #expect((bench.clock.sleepers, bench.isRunning) == (0, true))
    // The earlier departure doesn't end the run, which goes on where it was.
    bench.pass(.seconds(10))
    bench.send(2)
    #expect((next.states, bench.calls) == ([.loaded(1), .loaded(2)], 1))
    bench.leave(next)
  }
}
