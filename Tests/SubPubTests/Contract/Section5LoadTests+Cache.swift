import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test("5.10: what the cache has shows as loaded, with its age, before the loader is called; then it is loaded anew")
  func required_5_10_shows() {
    let cache = ProbeCache(1, age: .seconds(50))
    let bench = LoadBench(staleAfter: .seconds(60), cache: cache)
    defer { bench.finish() }
    cache.hold(.read)
    let caller = bench.refresh()
    #expect(bench.source.calls == 0)
    #expect(bench.publisher.state == .loading(previous: nil))
    let staleness = Recorder<Bool>()
    bench.publisher.subscribe(staleness, on: .immediate) { [publisher = Weak(bench.publisher)] staleness, state in
      if state.phase == .loaded, let isStale = publisher.object?.isStale { staleness.receive(.loaded(isStale)) }
    }
    cache.letGo(.read)
    bench.run()
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1)])
    #expect(staleness.states == [.loaded(false)])
    #expect(bench.source.calls == 1)
    #expect(caller.result == nil)
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(cache.content == 7)
    #expect(cache.operations == [.read, .write])
  }

  @Test("5.10: the age of what was in the cache counts when the load behind it is given up, and it stays what it was")
  func required_5_10_5_05_restored() {
    let cache = ProbeCache(1, age: .seconds(50))
    let bench = LoadBench(staleAfter: .seconds(60), cache: cache)
    defer { bench.finish() }
    let caller = bench.refresh()
    bench.pass(.seconds(9))
    bench.cancel(caller)
    #expect(caller.result == .loaded(1))
    #expect(bench.publisher.state == .loaded(1))
    #expect(!bench.publisher.isStale)
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 1)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 2)
    // There is something to show, so the cache isn't asked again.
    #expect(cache.operations == [.read])
  }

  @Test("5.10: given up before the cache has answered, the state before comes back; what it answers shows nowhere")
  func required_5_10_5_05_givenUpBeforeRead() {
    let cache = ProbeCache(1)
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    cache.hold(.read)
    let caller = bench.refresh()
    bench.cancel(caller)
    #expect(caller.result == .unknown)
    cache.letGo(.read)
    bench.run()
    #expect(bench.states == [.unknown, .loading(previous: nil), .unknown])
    #expect(bench.source.calls == 0)
  }

  @Test("5.10: an empty cache changes nothing")
  func required_5_10_empty() {
    let bench = LoadBench(cache: ProbeCache())
    defer { bench.finish() }
    bench.refresh()
    bench.answer(0, 7)
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(7)])
  }

  @Test("5.10: operations never overlap, come in the order in which they were decided, and needless ones are left out")
  func required_5_10_order() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    cache.hold(.write)
    bench.refresh()
    bench.answer(0, 1)
    // Not written: the clear comes first.
    bench.refresh()
    bench.answer(1, 2)
    bench.manager.logout()
    // Not read: its load is overtaken before its turn.
    bench.refresh()
    bench.refresh(restarting: true)
    #expect(cache.operations == [.read, .write])
    cache.letGo(.write)
    bench.run()
    #expect(cache.operations == [.read, .write, .clear, .read])
    #expect(cache.isOneAtATime)
    #expect(bench.source.calls == 3)
    bench.answer(2, 3)
    #expect(cache.content == 3)
    #expect(cache.isOneAtATime)
  }

  @Test("5.10: a write that is under way at logout is cleared after it, and a load begun meanwhile reads nothing")
  func required_5_10_writeUnderWay() {
    let cache = ProbeCache()
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    cache.hold(.write)
    bench.refresh()
    bench.answer(0, 1)
    bench.manager.logout()
    bench.refresh()
    #expect(bench.publisher.state == .loading(previous: nil))
    cache.letGo(.write)
    bench.run()
    #expect(cache.operations == [.read, .write, .clear, .read])
    #expect(cache.content == nil)
    #expect(bench.publisher.state == .loading(previous: nil))
    #expect(bench.states.filter { $0.value == 1 } == [.loaded(1)])
  }

  @Test("5.10: a result that comes after logout is not written", arguments: [nil, 0, 1])
  func required_5_10_lateResult(steps: Int?) {
    let cache = ProbeCache()
    let bench = LoadBench(isStubborn: true, cache: cache)
    defer { bench.finish() }
    bench.refresh()
    if let steps {
      bench.source.answer(0, .success(1))
      // The loader's last; the one after that would publish and write.
      for _ in 0..<steps { #expect(bench.executor.runOne()) }
    }
    bench.manager.logout()
    bench.run()
    bench.answer(0, 1)
    #expect(cache.operations == [.read, .clear])
    #expect(cache.content == nil)
    #expect(bench.publisher.state == .unknown)
  }

  @Test("5.10: nor is one that was overtaken in another way", arguments: Overtaking.allCases.filter { $0 != .logout })
  func required_5_10_5_04_overtaken(how: Overtaking) {
    let cache = ProbeCache()
    let bench = LoadBench(isStubborn: true, cache: cache)
    defer { bench.finish() }
    bench.refresh()
    how.perform(at: bench)
    bench.run()
    bench.answer(0, 1)
    #expect(!cache.operations.contains(.write))
    #expect(cache.content == nil)
  }

  @Test("5.10: what a read under way at logout finds is dropped")
  func required_5_10_readUnderWay() {
    let cache = ProbeCache(1)
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    cache.hold(.read)
    let caller = bench.refresh()
    bench.manager.logout()
    let later = bench.refresh()
    cache.letGo(.read)
    bench.run()
    #expect(caller.result == .unknown)
    #expect(cache.operations == [.read, .clear, .read])
    #expect(cache.content == nil)
    #expect(!bench.states.contains { $0.value == 1 })
    bench.answer(0, 7)
    #expect(later.result == .loaded(7))
    #expect(bench.source.calls == 1)
  }

  @Test("5.10: logout shows at once, and doesn't wait for the cache; waitForCache does")
  func required_5_10_wait() {
    let cache = ProbeCache(1)
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    bench.publisher.updateData(1)
    cache.hold(.clear)
    bench.manager.logout()
    #expect(bench.publisher.state == .unknown)
    let waiting = Caller(on: bench.executor) { [manager = bench.manager] in await manager.waitForCache() }
    bench.run()
    #expect(waiting.result == nil)
    #expect(cache.operations == [.clear])
    cache.letGo(.clear)
    bench.run()
    #expect(waiting.result != nil)
    #expect(cache.content == nil)
    // With nothing to wait for, and without a cache, it returns.
    let idle = Caller(on: bench.executor) { [manager = bench.manager] in await manager.waitForCache() }
    let without = LoadBench()
    let none = Caller(on: bench.executor) { await without.manager.waitForCache() }
    bench.run()
    #expect(idle.result != nil)
    #expect(none.result != nil)
  }

  @Test("5.10: a manager that goes leaves its last write to the cache, and a clear too")
  func required_5_10_5_09_release() {
    let executor = ManualExecutor()
    let cache = ProbeCache()
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
    cache.letGo(.write)
    executor.runAll()
    #expect(cache.operations == [.read, .write, .clear])
    #expect(cache.content == nil)
  }
}
