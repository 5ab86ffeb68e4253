import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

// Rule 5.21 on real threads.
extension Section5LoadTests {
  @Test(
    "listeners of many threads come and go, die and cancel, and a stream runs once for all of them", arguments: [0, 50])
  func stochastic_5_21_comeAndGo(microseconds: Int) async throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("the seed is \(seed)")
    let (closed, deaths) = (Event(), Deaths())
    let source = CountedStream { closed.happen() }
    let manager = source.makeManager(keepingAlive: .microseconds(microseconds))
    for round in 0..<300 {
      try await Race.run(threads: 8) { thread in
        var generator = SeededGenerator(seed: seed &+ UInt64(round * 8 + thread))
        for _ in 0..<2 {
          let listener = StreamListener(source, keeping: deaths.makeToken())
          let context: DeliveryContext = Bool.random(using: &generator) ? .immediate : .background
          let subscription = manager.publisher.subscribe(listener, on: context)
          if Bool.random(using: &generator) { listener.waitForElement() }
          // Otherwise, it dies.
          if Bool.random(using: &generator) { subscription.cancel() }
        }
      }
      // A delivery may still hold one of them.
      try await deaths.wait(count: 16 * (round + 1))
      #expect(manager.publisher.subscriberCount == 0)
    }
    // A run that is kept alive may not have opened its sequence yet.
    try await closed.wait(count: source.runs)
    #expect(source.violations == [])
    if microseconds == 0 { #expect(source.runs >= 150) }
  }

  @Test("refresh doesn't call a finite stream again that has ended before its request")
  func required_5_21_refreshOnce() async {
    let calls = Event()
    let manager = StreamManager<Int>(
      keepingAlive: .zero, retry: .never, clock: ContinuousClock(), executor: EagerExecutor()
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

  @Test("refresh calls a finite stream once, however soon that has ended")
  func stochastic_5_21_refreshOnce() async {
    let calls = Event()
    let manager = StreamManager<Int>(label: "finite") {
      calls.happen()
      return AsyncStream { elements in
        elements.yield(calls.count)
        elements.finish()
      }
    }
    for call in 1...2_000 {
      #expect(await manager.refresh() == .loaded(call))
      #expect(calls.count == call)
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

  @Test(
    "a listener that takes over while another one leaves or dies misses nothing", arguments: [true, false],
    [0, 1, 60_000_000])
  func stochastic_5_21_handOver(dies: Bool, microseconds: Int) async throws {
    let source = CountedStream()
    let manager = source.makeManager(keepingAlive: .microseconds(microseconds))
    let leaving = Locked<StreamListener?>(nil)
    for _ in 0..<500 {
      let next = StreamListener(source)
      try await Race.run(threads: 2) { thread in
        if thread == 0 {
          let old = leaving.withLock { $0.take() }
          if let old, !dies { manager.publisher.unsubscribe(old) }
        } else {
          manager.publisher.subscribe(next, on: .immediate)
          // Whether it has joined the run or begun another, elements go on.
          next.waitForElement()
        }
      }
      leaving.withLock { $0 = next }
      #expect(manager.isRunning)
    }
    let last = leaving.withLock { $0.take() }
    withExtendedLifetime(last) {}
    #expect(source.violations == [])
    // Within a minute, each one joins the run of the first.
    if microseconds > 1 { #expect(source.runs == 1) }
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
}
