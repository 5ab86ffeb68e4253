import SubPub
import SubPubTesting
import Testing

// Rule 5.05.
extension Section5LoadTests {
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

  @Test("a caller that joins after a cancel keeps the load going", arguments: [true, false])
  func required_5_05_newcomer(leavesLast: Bool) {
    let (first, second) = (bench.refresh(), bench.refresh())
    bench.cancel(first)
    let third = bench.refresh()
    bench.cancel(second)
    #expect((bench.source.cancelled, third.result) == ([], nil))
    if leavesLast {
      bench.cancel(third)
      #expect((bench.source.cancelled, bench.publisher.state) == ([0], .unknown))
    } else {
      bench.answer(0, 7)
      #expect((third.result, first.result) == (.loaded(7), .loading(previous: nil)))
    }
    #expect(bench.source.calls == 1)
  }

  @Test("a load goes on without waiters if refreshIfNeeded began it or joined it", arguments: [true, false])
  func required_5_05_kept(beganIt: Bool) {
    if beganIt { bench.manager.refreshIfNeeded() }
    let caller = bench.refresh()
    if !beganIt { bench.manager.refreshIfNeeded() }
    bench.cancel(caller)
    #expect((caller.result, bench.source.cancelled) == (.loading(previous: nil), []))
    #expect((bench.answer(0, 7), bench.source.calls) == (.loaded(7), 1))
  }

  @Test("a restarting refresh that replaces a load of refreshIfNeeded goes on without waiters, too")
  func required_5_05_keptThroughRestart() {
    bench.refreshIfNeeded()
    let caller = bench.refresh(restarting: true)
    bench.cancel(caller)
    #expect(bench.source.cancelled == [0])
    #expect(bench.answer(1, 7) == .loaded(7))
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

  @Test("the cancel of a restarting refresh restores the state before the superseded load", arguments: Before.allCases)
  func required_5_05_restarting(before: Before) {
    let bench = LoadBench(isStubborn: true)
    before.make(at: bench.publisher)
    let old = bench.publisher.state
    bench.refresh()
    bench.refresh(restarting: true)
    let last = bench.refresh(restarting: true)
    #expect(bench.source.cancelled == [0, 1])
    bench.cancel(last)
    #expect((last.result, bench.publisher.state, bench.source.cancelled) == (old, old, [0, 1, 2]))
  }

  @Test("after the last cancel a caller starts a new load and doesn't wait for the old loader")
  func required_5_05_afterwards() {
    let bench = LoadBench(isStubborn: true)
    bench.publisher.updateData(1)
    for round in 0..<3 {
      let caller = bench.refresh()
      #expect(bench.source.calls == round + 1)
      #expect(bench.cancel(caller) == .loaded(1))
    }
    let caller = bench.load(7)
    #expect(caller.result == .loaded(7))
    for call in 0..<3 { bench.answer(call, call) }
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test("no cancel undoes another transition", arguments: Superseding.allCases.filter { $0 != .restartingRefresh })
  func required_5_05_overtaken(how: Superseding) {
    bench.publisher.updateData(1)
    let caller = bench.refresh()
    how.perform(at: bench)
    let current = bench.publisher.current
    bench.cancel(caller)
    #expect(bench.publisher.current === current)
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

  @Test("a load that is cancelled before its loader is called never calls it")
  func required_5_05_beforeTheLoader() {
    let other = ManualExecutor()
    let caller = bench.caller(on: other)
    other.runAll()
    #expect(bench.publisher.state == .loading(previous: nil))
    caller.cancel()
    other.runAll()
    #expect(caller.result == .unknown)
    bench.run()
    #expect(bench.source.calls == 0)
  }

  @Test("refreshIfNeeded keeps a load that starts and is cancelled at the same moment")
  func stochastic_5_05_keptMeanwhile() async throws {
    let loader = EndlessLoader()
    for _ in 0..<3_000 {
      let executor = ManualExecutor()
      let manager = LoadingManager<Int>(on: executor) { try await loader.load() }
      let caller = Caller(on: executor) { await manager.refresh() }
      try await Race.run(threads: 2) { thread in
        if thread == 0 {
          manager.refreshIfNeeded()
        } else {
          executor.runAll()
          caller.cancel()
        }
      }
      #expect(manager.publisher.state.phase == .loading)
      manager.publisher.reset()
      executor.runAll()
    }
  }
}
