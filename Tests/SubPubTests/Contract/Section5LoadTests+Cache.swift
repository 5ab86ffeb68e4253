import SubPub
import SubPubTesting
import Testing

// Rule 5.10.
extension Section5LoadTests {
  @Test("a cached value shows as loaded, with its age, before the loader is called")
  func required_5_10_shows() {
    let cache = ProbeCache(1, age: .seconds(50))
    let bench = LoadBench(staleAfter: .seconds(60), cache: cache)
    cache.hold(.read)
    let caller = bench.refresh()
    #expect((bench.source.calls, bench.publisher.state) == (0, .loading(previous: nil)))
    let staleness = Recorder<Bool>()
    bench.publisher.subscribe(staleness, on: .immediate) { [publisher = Weak(bench.publisher)] staleness, state in
      if state.phase == .loaded, let isStale = publisher.object?.isStale { staleness.receive(.loaded(isStale)) }
    }
    cache.release(.read)
    bench.run()
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1)])
    #expect((staleness.states, bench.source.calls, caller.result) == ([.loaded(false)], 1, nil))
    bench.answer(0, 7)
    #expect((caller.result, cache.content, cache.operations) == (.loaded(7), 7, [.read, .write]))
  }

  @Test("cache operations run one at a time and in order, and needless ones are left out")
  func required_5_10_order() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    cache.hold(.write)
    bench.load(1)
    // Never written, because of the clear that follows.
    bench.load(2)
    bench.manager.logout()
    // Never read for, because its load is superseded first.
    bench.refresh()
    bench.refresh(restarting: true)
    #expect(cache.operations == [.read, .write])
    cache.release(.write)
    bench.run()
    #expect(cache.operations == [.read, .write, .clear, .read])
    // Nothing is left of the write that was under way.
    #expect((cache.content, bench.publisher.state) == (nil, .loading(previous: nil)))
    #expect((cache.isOneAtATime, bench.source.calls) == (true, 3))
    bench.answer(2, 3)
    #expect((cache.content, cache.isOneAtATime) == (3, true))
  }

  @Test("a result that arrives after logout isn't written", arguments: [nil, 0, 1])
  func required_5_10_lateResult(steps: Int?) {
    let cache = ProbeCache()
    let bench = LoadBench(isStubborn: true, cache: cache)
    bench.refresh()
    if let steps {
      bench.source.answer(0, .success(1))
      // The loader's last steps; the one after them would publish and write.
      for _ in 0..<steps { #expect(bench.executor.runOne()) }
    }
    bench.logout()
    bench.answer(0, 1)
    #expect((cache.operations, cache.content) == ([.read, .clear], nil))
    #expect(bench.publisher.state == .unknown)
  }

  @Test("a value that is being read at logout is dropped")
  func required_5_10_readUnderWay() {
    let cache = ProbeCache(1)
    let bench = LoadBench(cache: cache)
    cache.hold(.read)
    let caller = bench.refresh()
    bench.manager.logout()
    let later = bench.refresh()
    cache.release(.read)
    bench.run()
    #expect((caller.result, cache.operations, cache.content) == (.unknown, [.read, .clear, .read], nil))
    #expect(!bench.states.contains { $0.value == 1 })
    bench.answer(0, 7)
    #expect((later.result, bench.source.calls) == (.loaded(7), 1))
  }

  @Test("logout doesn't wait for the cache, and waitForCache does until it is cancelled", arguments: [true, false])
  func required_5_10_wait(cancels: Bool) {
    let cache = ProbeCache(1)
    let bench = LoadBench(cache: cache)
    bench.publisher.updateData(1)
    cache.hold(.clear)
    bench.manager.logout()
    #expect(bench.publisher.state == .unknown)
    let waiting = bench.call { [manager = bench.manager] in await manager.waitForCache() }
    #expect(waiting.result == nil)
    #expect(cache.operations == [.clear])
    if cancels {
      bench.cancel(waiting)
      #expect(waiting.result != nil)
    }
    cache.release(.clear)
    bench.run()
    #expect(waiting.result != nil)
    #expect(cache.content == nil)
    // With nothing to wait for, and without a cache, it returns.
    for manager in [bench.manager, LoadBench().manager] {
      #expect(bench.call { await manager.waitForCache() }.result != nil)
    }
  }

  @Test("a released manager's last write and clear still reach the cache")
  func required_5_10_5_09_release() {
    let (executor, cache) = (ManualExecutor(), ProbeCache())
    cache.hold(.write)
    var manager: LoadingManager<Int>? = LoadingManager(on: executor, cache: cache) { 7 }
    manager?.refreshIfNeeded()
    executor.runAll()
    #expect(cache.operations == [.read, .write])
    manager?.logout()
    weak let publisher = manager?.publisher
    manager = nil
    executor.runAll()
    #expect(publisher == nil)
    cache.release(.write)
    executor.runAll()
    #expect((cache.operations, cache.content) == ([.read, .write, .clear], nil))
  }

  @Test("after a logout nothing from before it shows, whatever several threads load and cache")
  func stochastic_5_10_logouts() async throws {
    let (cache, begun) = (ProbeCache(), Locked(0))
    // A value is the number of logouts that had begun when it was loaded.
    let manager = LoadingManager<Int>(cache: cache) {
      await Task.yield()
      return begun.withLock { $0 }
    }
    let log = Recorder<Int>()
    manager.publisher.subscribe(log, on: .immediate)
    for _ in 0..<500 {
      let callers = Locked<[Caller<State>]>([])
      try await Race.run(threads: 3) { thread in
        for step in 0..<4 {
          if thread == 0, step.isMultiple(of: 2) {
            begun.withLock { $0 += 1 }
            manager.logout()
          } else if thread == 1, step == 3 {
            // Without a value to show, the next load reads the cache.
            manager.publisher.setState(.error(Failure.offline, previous: nil))
          } else {
            let caller = Caller { await manager.refresh() }
            callers.withLock { $0.append(caller) }
          }
        }
      }
      for caller in callers.withLock({ $0 }) { try await caller.wait() }
    }
    await manager.waitForCache()
    #expect(cache.isOneAtATime)
    var (logouts, fromCache) = (0, 0)
    let history = log.publications.sorted { $0.version < $1.version }
    for (index, publication) in history.enumerated() {
      if publication.phase == .unknown, publication.version > 0 { logouts += 1 }
      guard case .loaded(let value) = publication.state else { continue }
      #expect(value >= logouts, "version \(publication.version) is from before a logout")
      if index + 1 < history.count, history[index + 1].phase == .loading { fromCache += 1 }
    }
    #expect(logouts == 1_000)
    #expect(fromCache > 0)
  }
}
