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
