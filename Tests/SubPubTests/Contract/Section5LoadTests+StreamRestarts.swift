import SubPub
import SubPubTesting
import Support
import Testing

// Rule 5.21: restarts, and waiting for the end.
extension Section5LoadTests {
  @Test("a restart cancels the run and begins another one, with the data at hand as previous data")
  func required_5_21_restart() {
    let bench = StreamBench(isStubborn: true)
    let log = bench.listen()
    bench.send(1)
    let caller = bench.refresh(restarting: true)
    #expect((log.states.last, bench.source.last.isCancelled) == (.loading(previous: 1), true))
    // The sequence is made when the one before is gone, whose last element is dropped.
    #expect((bench.calls, bench.isRunning) == (1, true))
    bench.send(2)
    #expect((bench.calls, caller.result) == (2, nil))
    bench.send(3)
    #expect((caller.result, bench.source.depth.deepest) == (.loaded(3), 1))
    #expect(log.states == [.unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1), .loaded(3)])
    // Without the restart, the element at hand is the answer.
    #expect(bench.refresh().result == .loaded(3))
  }

  @Test("a restart leaves the state before the first run if it has no element, and the waiting ones wait for it")
  func required_5_21_restartBeforeAnElement() {
    let bench = StreamBench()
    bench.publisher.setError(Failure.denied)
    let waiting = bench.refresh()
    let restarting = bench.refresh(restarting: true)
    #expect((bench.calls, bench.source.runs[0].isOver) == (2, true))
    #expect((waiting.result, restarting.result) == (nil, nil))
    bench.end()
    #expect(waiting.result == .error(Failure.denied, previous: nil))
    #expect(restarting.result == .error(Failure.denied, previous: nil))
  }

  @Test("a restart begins one run if none is active, and replaces one between two attempts")
  func required_5_21_restartOfNothing() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) })
    let first = bench.refresh(restarting: true)
    #expect(bench.calls == 1)
    bench.fail()
    // It was the only listener.
    #expect((first.result, bench.isRunning) == (.error(Failure.offline, previous: nil), false))
    let log = bench.listen()
    bench.fail()
    let second = bench.refresh(restarting: true)
    #expect((bench.calls, bench.clock.sleepers, log.states.last) == (3, 0, .loading(previous: nil)))
    // It has as many attempts as any run.
    bench.fail()
    bench.pass(.seconds(1))
    #expect((bench.calls, second.result) == (4, .error(Failure.offline, previous: nil)))
  }

  @Test("a restart with a sequence that hangs is an error when its time is over")
  func required_5_21_restartOfAHangingOne() {
    let bench = StreamBench(isStubborn: true, elementTimeout: .seconds(5))
    let log = bench.listen()
    bench.send(1)
    let caller = bench.refresh(restarting: true)
    bench.pass(.seconds(5))
    #expect((caller.result, bench.calls) == (.error(LoadTimedOut(timeout: .seconds(5)), previous: 1), 1))
    #expect(log.states.suffix(2).first == .loading(previous: 1))
  }

  @Test("waiting for the end listens, and returns when the sequence has ended, even without an element")
  func required_5_21_waitForEnd() {
    let bench = StreamBench()
    let caller = bench.waitForEnd()
    #expect((caller.result == nil, bench.isRunning) == (true, true))
    bench.send(1)
    let log = bench.listen()
    bench.leave(log)
    #expect((caller.result == nil, bench.isRunning) == (true, true))
    bench.end()
    #expect((caller.result != nil, bench.calls, bench.publisher.state) == (true, 1, .loaded(1)))
    // It has ended by itself, and isn't called again for whoever asks later.
    #expect(bench.waitForEnd().result != nil)
    #expect(bench.calls == 1)
    let empty = StreamBench()
    let second = empty.waitForEnd()
    // Waits for a value, whoever may publish it.
    let value = empty.call { try? await empty.publisher.value() }
    empty.end()
    #expect((second.result != nil, empty.publisher.state, empty.isRunning) == (true, .unknown, false))
    #expect(value.result == nil)
    empty.publisher.updateData(5)
    empty.run()
    #expect(value.result == 5)
  }

  @Test("waiting for the end throws the error after which no attempt is left, also to those who ask later")
  func required_5_21_waitForFailure() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) })
    let caller = bench.waitForEnd()
    bench.fail()
    bench.pass(.seconds(1))
    #expect(caller.result == nil)
    bench.fail(Failure.denied)
    #expect(caller.result as? Failure == .denied)
    #expect(bench.waitForEnd().result as? Failure == .denied)
    // What has ended begins anew for a listener, and then the call waits for that.
    let log = bench.listen()
    let next = bench.waitForEnd()
    bench.end()
    #expect((next.result != nil, next.result as? Failure, bench.calls) == (true, nil, 3))
    #expect(log.states.last == .error(Failure.denied, previous: nil))
  }

  @Test("a restart isn't an end, and a run that somebody else ends is cancelled", arguments: ByHand.allCases)
  func required_5_21_waitForOthers(how: ByHand) {
    let bench = StreamBench()
    let caller = bench.waitForEnd()
    bench.send(1)
    _ = bench.refresh(restarting: true)
    #expect((caller.result == nil, bench.calls) == (true, 2))
    how.perform(at: bench)
    bench.run()
    #expect(caller.result.flatMap { $0 } is CancellationError)
    // It didn't end by itself, so whoever asks now waits for another run.
    let next = bench.waitForEnd()
    #expect((next.result == nil, bench.calls) == (true, 3))
    next.cancel()
    bench.run()
    #expect(next.result.flatMap { $0 } is CancellationError)
    #expect(!bench.isRunning)
  }

  @Test("when the publisher finishes, nobody waits for the end any longer", arguments: [true, false])
  func required_3_09_5_21_waitForEnd(isRunning: Bool) {
    let bench = StreamBench()
    let caller = bench.waitForEnd()
    if !isRunning { bench.end() }
    bench.publisher.finish()
    bench.run()
    #expect(
      caller.result.flatMap { $0 } as? PublisherEnded == (isRunning ? PublisherEnded(source: bench.publisher.id) : nil))
    #expect((caller.result != nil, bench.waitForEnd().result != nil) == (true, true))
  }

  @Test("a listener on the publishing thread has received the error when the wait is over")
  func required_5_21_waitForDelivery() {
    let bench = StreamBench()
    let atTheError = Locked<Bool?>(nil)
    let caller = bench.waitForEnd()
    bench.publisher.subscribe(makeListener(), on: .immediate) { _, state in
      if state.phase == .error { atTheError.withLock { $0 = caller.result == nil } }
    }
    bench.fail()
    #expect((atTheError.withLock { $0 }, caller.result != nil) == (true, true))
  }

  @Test("a restart returns what the new run publishes, even if that is over at once")
  func stochastic_5_21_briefRestarts() async {
    for round in 0..<200 {
      let runs = Locked(0)
      let manager = StreamManager<Int> {
        let run = runs.withLock { runs in
          runs += 1
          return runs
        }
        return AsyncStream { elements in
          elements.yield(run)
          if run > 1 { elements.finish() }
        }
      }
      let listener = manager.publisher.observe(on: .immediate) { _ in }
      await manager.refresh()
      #expect(await manager.refresh(restarting: true) == .loaded(2), "in round \(round)")
      listener.cancel()
    }
  }

  @Test("streams that are restarted while others listen never overlap, and lose and repeat nothing")
  func stochastic_5_21_restarts() async throws {
    let source = CountedStream()
    let manager = source.makeManager()
    let (isOver, staying) = (Locked(false), StreamListener(source))
    manager.publisher.subscribe(staying, on: .immediate)
    let restarts = Task.detached {
      for round in 0..<300 { await manager.refresh(restarting: round % 3 > 0) }
      isOver.withLock { $0 = true }
    }
    try await Race.run(threads: 2) { thread in
      while !isOver.withLock({ $0 }) {
        let listener = thread == 0 ? staying : StreamListener(source)
        if thread == 1 { manager.publisher.subscribe(listener, on: .immediate) }
        listener.waitForElement()
        if thread == 1 { manager.publisher.unsubscribe(listener) }
      }
    }
    await restarts.value
    manager.publisher.unsubscribe(staying)
    #expect((manager.isRunning, source.violations, source.runs > 200) == (false, [], true))
  }
}
