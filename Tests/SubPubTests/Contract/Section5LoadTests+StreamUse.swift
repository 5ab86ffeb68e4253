import SubPub
import SubPubTesting
import Testing

// Rule 5.21: refreshes, the end of the manager, and the sequences that it follows.
extension Section5LoadTests {
  @Test("a stream may ask its own manager for what it has published, and other tasks may ask it at any time")
  func required_5_21_asksForPublished() async {
    let (own, calls) = (Locked<StreamManager<Int>?>(nil), Locked(0))
    let (asked, listener) = (Locked<Task<LoadState<Int>?, Never>?>(nil), Recorder<Int>())
    let manager = StreamManager<Int> { () async throws -> AsyncStream<Int> in
      // It inherits the task-local values, but isn't the task of the run.
      let task = Task { await own.withLock { $0 }?.refresh() }
      asked.withLock { $0 = task }
      return AsyncStream {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        switch call {
        case 1: return 1
        case 2: return await own.withLock { $0 }?.refresh().value.map { $0 + 1 }
        default:
          // The run goes on until the test has ended.
          try? await ManualClock().sleep(for: .seconds(1))
          return nil
        }
      }
    }
    own.withLock { $0 = manager }
    manager.publisher.subscribe(listener, on: .immediate)
    for await state in manager.publisher.states() where state == .loaded(2) { break }
    let task = asked.withLock { $0.take() }
    #expect(await task?.value?.phase == .loaded)
    manager.publisher.unsubscribe(listener)
    own.withLock { $0 = nil }
  }

  @Test("a publisher that combines a stream's is loading at once, as it has begun the run")
  func required_5_21_5_22_combined() {
    let combined = combining(stream.publisher.readOnly)
    #expect((combined.state.phase, stream.isRunning) == (.loading, true))
  }

  @Test("a sequence that throws because it is cancelled isn't tried again")
  func required_5_21_throwsWhenCancelled() {
    let asked = Event()
    let bench = StreamBench(
      retry: RetryPolicy(maxAttempts: 3) { _, _ in
        asked.happen()
        return .zero
      }, isStubborn: true)
    let listener = bench.listen()
    bench.leave(listener)
    bench.fail()
    #expect((asked.count, bench.calls, bench.isRunning) == (0, 1, false))
  }

  @Test("a derived publisher listens for as long as it lives, and begins a stream whose listeners have all died")
  func required_5_21_5_22_derived() {
    var tens: ReadOnlyPublisher<Int>? = stream.publisher.map { $0 * 10 }
    stream.run()
    #expect(stream.isRunning)
    stream.send(1)
    #expect(tens?.state == .loaded(10))
    stream.end()
    tens = nil
    var dying: Recorder<Int>? = stream.listen()
    stream.end()
    #expect(dying != nil)
    dying = nil
    #expect(!stream.isRunning)
    tens = stream.publisher.map { $0 * 10 }
    stream.run()
    #expect(stream.isRunning)
    stream.send(2)
    #expect(tens?.state == .loaded(20))
    tens = nil
    #expect(!stream.isRunning)
  }

  @Test("refresh returns the first element if nobody else listens, and the stream ends with the call")
  func required_5_21_refresh() {
    stream.publisher.updateData(5)
    let caller = stream.refresh()
    #expect((caller.result, stream.calls) == (nil, 1))
    stream.send(1, 2)
    #expect((caller.result, stream.isRunning, stream.source.last.isOver) == (.loaded(1), false, true))
  }

  @Test("refresh returns the state of an active run at once, and begins an ended one")
  func required_5_21_refreshWithOthers() {
    let log = stream.listen()
    let early = stream.refresh()
    #expect(early.result == nil)
    stream.send(1)
    #expect(early.result == .loaded(1))
    #expect(stream.refresh().result == .loaded(1))
    stream.fail()
    let caller = stream.refresh()
    #expect((stream.calls, caller.result) == (2, nil))
    stream.fail(Failure.denied)
    #expect(caller.result == .error(Failure.denied, previous: 1))
    let empty = stream.refresh()
    stream.end()
    #expect((empty.result, stream.calls) == (.error(Failure.denied, previous: 1), 3))
    #expect(log.states.count == 8)
  }

  @Test("a refresh ends when it is cancelled, and when a transition by hand ends the run", arguments: ByHand.allCases)
  func required_5_21_refreshEnds(how: ByHand) {
    stream.publisher.updateData(5)
    let cancelled = stream.refresh()
    cancelled.cancel()
    stream.run()
    #expect((cancelled.result, stream.isRunning) == (.loaded(5), false))
    let caller = stream.refresh()
    how.perform(at: stream)
    let state = stream.publisher.state
    stream.run()
    #expect(caller.result == state)
  }

  @Test("refreshIfNeeded begins an ended stream only if a living listener is left")
  func required_5_21_refreshIfNeeded() {
    stream.refreshIfNeeded()
    var listener: Recorder<Int>? = stream.listen()
    stream.refreshIfNeeded()
    #expect(stream.calls == 1)
    stream.end()
    stream.refreshIfNeeded()
    #expect((stream.calls, listener?.states.suffix(2)) == (2, [.unknown, .loading(previous: nil)]))
    stream.end()
    listener = nil
    stream.refreshIfNeeded()
    #expect((stream.calls, stream.isRunning) == (2, false))
  }

  @Test("releasing the manager ends its run, and later listeners begin none", arguments: [true, false])
  func required_5_21_5_09_release(isHeard: Bool) {
    let bench = StreamBench(keepingAlive: .seconds(10), isStubborn: true)
    let log = bench.listen()
    bench.send(1)
    if !isHeard { bench.leave(log) }
    bench.releaseManager()
    #expect(bench.source.last.isCancelled)
    bench.run()
    #expect(bench.clock.sleepers == 0)
    bench.send(2)
    #expect((bench.source.last.isOver, bench.publisher.state) == (true, .loaded(1)))
    // The publisher stays usable.
    let late = bench.listen()
    bench.publisher.updateData(8)
    #expect(late.states == [.loaded(1), .loaded(8)])
    bench.leave(late)
    #expect(bench.calls == 1)
  }

  @Test("a stream that never ends keeps neither the manager nor the publisher alive, and an idle one keeps nothing")
  func required_5_21_5_09_hanging() {
    let (executor, source, deaths) = (ManualExecutor(), StreamSource(isStubborn: true), Deaths())
    weak var publisher: Publisher<Int>?
    weak var released: StreamManager<Int>?
    for isHeard in [true, false] {
      let log = Recorder<Int>()
      do {
        let captured = deaths.makeToken()
        let manager = StreamManager<Int>(LoadingOptions(on: executor, clock: ManualClock()), keepingAlive: .zero) {
          withExtendedLifetime(captured) {}
          return try source.open()
        }
        (publisher, released) = (manager.publisher, manager)
        if isHeard { manager.publisher.subscribe(log, on: .immediate) }
        executor.runAll()
      }
      #expect(publisher == nil)
      #expect(released == nil)
    }
    // The idle one has released its closure.
    #expect(deaths.count == 1)
    source.close()
    executor.runAll()
    #expect(deaths.count == 2)
  }

  @Test("any sequence can be followed, whether its type is known or not")
  func required_5_21_sequences() async throws {
    let numbers: @Sendable () -> AsyncStream<Int> = {
      AsyncStream { numbers in
        for number in 1...3 { numbers.yield(number) }
        numbers.finish()
      }
    }
    let erased: @Sendable () async throws -> any AsyncSequence<Int, any Error> & Sendable = {
      numbers().map { number in
        try Task.checkCancellation()
        return number
      }
    }
    let managers = [
      StreamManager { numbers() }, StreamManager(stream: erased), StreamManager { try await erased() },
      StreamManager { numbers().map { $0 } }, StreamManager { StreamSource.counting(to: 3) },
    ]
    for manager in managers {
      let log = Recorder<Int>()
      manager.publisher.subscribe(log, on: .immediate)
      try await log.wait { $0 == .loaded(3) }
      #expect(log.states == [.unknown, .loading(previous: nil), .loaded(1), .loaded(2), .loaded(3)])
    }
  }

  @Test("a refresh returns an error that a retry follows at once")
  func required_5_21_refreshFindsTheError() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .zero })
    let caller = bench.refresh()
    bench.fail()
    #expect((caller.result, bench.isRunning) == (.error(Failure.offline, previous: nil), false))
    #expect(bench.publisher.state == .error(Failure.offline, previous: nil))
  }
}
