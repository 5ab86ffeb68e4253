import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test("5.03: callers at the same time call the loader once, and all get its result", arguments: [1, 2, 100])
  func required_5_03_result(callers count: Int) {
    let bench = LoadBench()
    defer { bench.finish() }
    let callers = (0..<count).map { _ in bench.refresh() }
    #expect(bench.source.calls == 1)
    #expect(callers.allSatisfy { $0.result == nil })
    bench.answer(0, 7)
    #expect(callers.allSatisfy { $0.result == .loaded(7) })
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(7)])
    #expect(bench.source.calls == 1)
  }

  @Test("5.03: they all get its error", arguments: [1, 2, 100])
  func required_5_03_error(callers count: Int) {
    let bench = LoadBench()
    defer { bench.finish() }
    bench.publisher.updateData(1)
    let callers = (0..<count).map { _ in bench.refresh() }
    bench.fail(0)
    #expect(callers.allSatisfy { $0.result == .error(Failure.offline, previous: 1) })
    #expect(bench.states.suffix(2) == [.loading(previous: 1), .error(Failure.offline, previous: 1)])
    #expect(bench.source.calls == 1)
  }

  @Test("5.03: what they get is what the load came to, also when another state has followed before they ran")
  func required_5_03_overtakenResult() {
    let bench = LoadBench()
    defer { bench.finish() }
    let other = ManualExecutor()
    let caller = Caller(on: other) { [manager = bench.manager] in await manager.refresh() }
    other.runAll()
    bench.run()
    bench.answer(0, 7)
    bench.publisher.updateData(8)
    #expect(caller.result == nil)
    other.runAll()
    #expect(caller.result == .loaded(7))
  }

  @Test("5.03: who comes while the load waits for its next attempt shares it")
  func required_5_03_betweenAttempts() {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(5) })
    defer { bench.finish() }
    let first = bench.refresh()
    bench.fail(0)
    let second = bench.refresh()
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 1)
    bench.pass(.seconds(5))
    #expect(bench.source.calls == 2)
    let third = bench.refresh()
    bench.answer(1, 7)
    for caller in [first, second, third] { #expect(caller.result == .loaded(7)) }
    #expect(bench.source.calls == 2)
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(7)])
  }

  @Test(
    "5.03: refreshIfNeeded, from synchronous code, begins one load that refresh shares, and shares one that it began")
  func required_5_03_ifNeeded() {
    let bench = LoadBench()
    defer { bench.finish() }
    for _ in 0..<100 { bench.manager.refreshIfNeeded() }
    let caller = bench.refresh()
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 1)
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(7)])
  }

  @Test("5.03: after the end of a load the next refresh loads anew, with what was loaded as the previous data")
  func required_5_03_after() {
    let bench = LoadBench()
    defer { bench.finish() }
    bench.refresh()
    bench.answer(0, 1)
    let second = bench.refresh()
    #expect(bench.source.calls == 2)
    bench.fail(1)
    #expect(second.result == .error(Failure.offline, previous: 1))
    let third = bench.refresh()
    bench.answer(2, 3)
    #expect(third.result == .loaded(3))
    #expect(
      bench.states == [
        .unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1), .error(Failure.offline, previous: 1),
        .loading(previous: 1), .loaded(3),
      ])
  }

  @Test("5.03: a subscriber that refreshes when it is told of the load shares that load")
  func required_5_03_fromCallback() {
    let bench = LoadBench()
    defer { bench.finish() }
    let eager = Recorder<Int>()
    bench.publisher.subscribe(eager, on: .immediate) { [weak manager = bench.manager] eager, state in
      manager?.refreshIfNeeded()
      eager.receive(state)
    }
    bench.run()
    #expect(bench.source.calls == 1)
    #expect(eager.states.map(\.phase) == [.unknown, .loading])
    bench.answer(0, 7)
    #expect(eager.states.map(\.phase) == [.unknown, .loading, .loaded])
    #expect(bench.source.calls == 1)
  }

  @Test("5.03: threads that refresh at once never have two loaders run, and each gets what a loader came to")
  func stochastic_5_03_oneAtATime() async throws {
    let source = CountedLoader()
    let manager = LoadingManager<Int> { await source.load() }
    let wrong = Locked(0)
    for _ in 0..<400 {
      let (callers, done) = (4, Event())
      try await Race.run(threads: callers) { thread in
        if thread == 0 { manager.refreshIfNeeded() }
        Task.detached {
          let state = await manager.refresh()
          if state.phase != .loaded { wrong.withLock { $0 += 1 } }
          done.happen()
        }
      }
      try await done.wait(count: callers)
      // None is under way now, so this one calls the loader.
      let before = source.calls
      #expect(await manager.refresh() == .loaded(before))
    }
    #expect(source.mostAtOnce == 1)
    #expect(wrong.withLock { $0 } == 0)
    #expect(source.calls <= 400 * 6)
    // Of each load: loading, and loaded.
    #expect(manager.publisher.current.version == UInt64(2 * source.calls))
  }
}
