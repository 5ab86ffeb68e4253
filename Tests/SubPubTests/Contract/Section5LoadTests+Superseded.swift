import SubPub
import SubPubTesting
import Testing

// Rules 5.04 and 5.05.
extension Section5LoadTests {
  @Test("a superseded load is cancelled and its result dropped", arguments: Superseding.allCases, [true, false])
  func required_5_04_lateResult(how: Superseding, isData: Bool) {
    let bench = LoadBench(isStubborn: true)
    bench.publisher.updateData(1)
    let callers = [bench.refresh(), bench.refresh()]
    bench.supersede(by: how)
    let before = bench.publisher.current
    #expect(bench.source.cancelled == [0])
    #expect(callers.allSatisfy { $0.result == before.state })
    if isData { bench.answer(0, 7) } else { bench.fail(0) }
    #expect(bench.publisher.current === before)
    guard how == .restartingRefresh else { return #expect(bench.source.calls == 1) }
    let joining = bench.refresh()
    #expect((joining.result == nil, bench.source.cancelled) == (true, [0]))
    bench.answer(1, 8)
    #expect((bench.publisher.state, joining.result, bench.source.calls) == (.loaded(8), .loaded(8), 2))
  }

  @Test("an unpublished result of a superseded load is dropped", arguments: Superseding.allCases, [0, 1])
  func required_5_04_resultOnItsWay(how: Superseding, steps: Int) {
    let bench = LoadBench(isStubborn: true)
    bench.refresh()
    bench.source.answer(0, .success(7))
    // The loader's last steps; the one after them publishes.
    for _ in 0..<steps { #expect(bench.executor.runOne()) }
    #expect(bench.publisher.state == .loading(previous: nil))
    if how == .restartingRefresh {
      let other = ManualExecutor()
      _ = bench.caller(restarting: true, on: other)
      other.runAll()
      #expect(bench.run() == .loading(previous: nil))
      #expect(bench.answer(1, 8) == .loaded(8))
      other.runAll()
    } else {
      how.perform(at: bench)
      let before = bench.publisher.current
      bench.run()
      #expect(bench.publisher.current === before)
    }
  }

  @Test("a superseded load isn't retried even if its clock ignores the cancellation", arguments: Superseding.allCases)
  func required_5_04_stubbornClock(how: Superseding) {
    let clock = StubbornClock()
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(5) }, clock: clock)
    defer {
      bench.finish()
      // An attempt follows each delay; the closed source fails them all.
      while clock.sleepers > 0 {
        clock.wakeAll()
        bench.run()
      }
    }
    let caller = bench.refresh()
    bench.fail(0)
    #expect(clock.sleepers == 1)
    bench.supersede(by: how)
    #expect(caller.result == bench.publisher.state)
    let before = bench.publisher.current
    clock.wakeAll()
    bench.run()
    #expect(bench.publisher.current === before)
    #expect(bench.source.calls == (how == .restartingRefresh ? 2 : 1))
  }

  @Test("republish() supersedes no load", arguments: [1, 5])
  func required_5_04_publish(times: Int) {
    let first = bench.refresh()
    for _ in 0..<times { bench.publisher.republish() }
    bench.run()
    let second = bench.refresh()
    #expect((bench.source.calls, bench.source.cancelled, first.result) == (1, [], nil))
    bench.publisher.republish()
    bench.answer(0, 7)
    for caller in [first, second] { #expect(caller.result == .loaded(7)) }
    #expect(bench.states.filter { $0.phase == .loading }.count == times + 2)
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test("an update that throws and an updateData(ifChanged:) without a change supersede no load")
  func required_5_04_noTransition() {
    let cache = ProbeCache(2)
    let bench = LoadBench(cache: cache)
    // While a load is active, the state is loaded only when the cached value shows.
    let found = Recorder<Int>()
    bench.publisher.subscribe(found, on: .immediate) { [publisher = Weak(bench.publisher)] found, state in
      if state == .loaded(2) { #expect(publisher.object?.updateData(ifChanged: 2) == false) }
      found.receive(state)
    }
    let caller = bench.refresh()
    #expect(found.states.contains(.loaded(2)))
    #expect(throws: Failure.denied) { try bench.publisher.update { _ in throw Failure.denied } }
    bench.answer(0, 7)
    #expect((caller.result, bench.source.cancelled) == (.loaded(7), []))
  }

  @Test("a subscriber that resets when it sees the loading state ends the load before its loader is called")
  func required_5_04_fromCallback() {
    let subscriber = Recorder<Int>()
    bench.publisher.subscribe(subscriber, on: .immediate) { [publisher = Weak(bench.publisher)] subscriber, state in
      if state.phase == .loading { publisher.object?.reset() }
      subscriber.receive(state)
    }
    let caller = bench.refresh()
    #expect((caller.result, bench.source.calls) == (.unknown, 0))
    #expect(bench.states == [.unknown, .loading(previous: nil), .unknown])
  }

  @Test("when its last waiter is cancelled, a load is undone", arguments: Before.allCases, [1, 2, 100])
  func required_5_05_lastWaiter(before: Before, callers count: Int) {
    let bench = LoadBench(isStubborn: true)
    before.make(at: bench.publisher)
    let old = bench.publisher.current
    let callers = (0..<count).map { _ in bench.refresh() }
    #expect(bench.publisher.current.version == old.version + 1)
    for caller in callers.dropLast() {
      bench.cancel(caller)
      #expect(caller.result == .loading(previous: old.state.value))
    }
    #expect(bench.source.cancelled == [])
    #expect(bench.publisher.state == .loading(previous: old.state.value))
    bench.cancel(callers[count - 1])
    #expect((bench.source.cancelled, bench.publisher.state) == ([0], old.state))
    #expect(bench.publisher.current.version == old.version + 2)
    #expect(callers[count - 1].result == old.state)
    bench.answer(0, 7)
    #expect(bench.publisher.current.version == old.version + 2)
  }

  @Test("a cancelled caller neither starts nor supersedes nor keeps a load", arguments: [true, false], [true, false])
  func required_5_05_alreadyCancelled(restarting: Bool, isLoading: Bool) {
    bench.publisher.updateData(1)
    let waiting = isLoading ? bench.refresh() : nil
    let caller = bench.caller(restarting: restarting)
    bench.cancel(caller)
    #expect(caller.result == (isLoading ? .loading(previous: 1) : .loaded(1)))
    #expect(bench.source.calls == (isLoading ? 1 : 0))
    #expect(bench.publisher.current.version == (isLoading ? 2 : 1))
    if let waiting { bench.cancel(waiting) }
    #expect(bench.publisher.state == .loaded(1))
  }

  @Test("a cancel between two attempts restores the state at once, and the loader isn't called again")
  func required_5_05_betweenAttempts() {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(5) })
    bench.publisher.updateData(1)
    let caller = bench.refresh()
    bench.fail(0)
    bench.cancel(caller)
    #expect((caller.result, bench.clock.sleepers) == (.loaded(1), 0))
    bench.pass(.seconds(5))
    #expect((bench.source.calls, bench.publisher.current.version) == (1, 3))
  }
}
