import SubPub
import SubPubTesting
import Testing

// Rule 5.09.
extension Section5LoadTests {
  @Test("the value that a manager begins with is released once another one replaces it")
  func required_5_09_3_05_initial() {
    let deaths = Deaths()
    let manager = LoadingManager(LoadingOptions(initial: [deaths.makeToken()])) { [] }
    #expect(deaths.count == 0)
    manager.set([])
    #expect(deaths.count == 1)
  }

  @Test("releasing a manager ends its load, and restores the state before it", arguments: [false, true])
  func required_5_09_cancels(isBetweenAttempts: Bool) {
    let (executor, clock) = (ManualExecutor(), ManualClock())
    let source = Source<Int>(isStubborn: true)
    let log = Recorder<Int>()
    var manager: LoadingManager<Int>? = LoadingManager(
      on: executor, staleAfter: .seconds(60), timeout: .seconds(5),
      retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) }, clock: clock
    ) { try await source.load() }
    let publisher = manager?.publisher
    publisher?.subscribe(log, on: .immediate)
    publisher?.updateData(1, age: .seconds(60))
    manager?.refreshIfNeeded()
    executor.runAll()
    if isBetweenAttempts { source.answer(0, .failure(Failure.offline)) }
    executor.runAll()
    #expect(clock.sleepers == 1)
    manager = nil
    #expect((publisher?.state, publisher?.isStale) == (.loaded(1), true))
    executor.runAll()
    #expect((source.cancelled, clock.sleepers) == (isBetweenAttempts ? [] : [0], 0))
    source.answer(0, .success(7))
    clock.advance(by: .seconds(1))
    executor.runAll()
    #expect(source.calls == 1)
    #expect(log.states == [.unknown, .loaded(1), .loading(previous: 1), .loaded(1)])
    // The publisher stays usable.
    publisher?.updateData(8)
    #expect(log.states.last == .loaded(8))
  }

  @Test("releasing a paged manager cancels its load and restores the state before it")
  func required_5_09_pages() {
    let executor = ManualExecutor()
    let source = Source<(elements: [Int], next: Int?)>(isStubborn: true)
    var manager: PagedManager<Int, Int>? = PagedManager(
      LoadingOptions(on: executor, clock: ManualClock()), firstPage: 0
    ) { _ in try await source.load() }
    let publisher = manager?.publisher
    manager?.refreshIfNeeded()
    executor.runAll()
    manager = nil
    #expect(publisher?.state == .unknown)
    executor.runAll()
    #expect(source.cancelled == [0])
    source.close()
    executor.runAll()
    #expect(publisher?.state == .unknown)
  }

  @Test("a loader that never returns doesn't keep its manager, the publisher or loaded values alive")
  func required_5_09_hangingLoader() {
    let executor = ManualExecutor()
    let (values, closures) = (Deaths(), Deaths())
    let hanging = Source<Deaths.Token>(isStubborn: true)
    weak var publisher: Publisher<Deaths.Token>?
    weak var released: LoadingManager<Deaths.Token>?
    do {
      let captured = closures.makeToken()
      let manager = LoadingManager<Deaths.Token>(on: executor) {
        defer { withExtendedLifetime(captured) {} }
        return try await hanging.load()
      }
      publisher = manager.publisher
      released = manager
      manager.publisher.updateData(values.makeToken())
      let waiting = Caller(on: executor) { [weak manager] in _ = await manager?.refresh() }
      executor.runAll()
      waiting.cancel()
      executor.runAll()
      manager.publisher.setError(Failure.offline)
      manager.refreshIfNeeded()
      executor.runAll()
      #expect(hanging.calls == 2)
    }
    // Even though the load's task hasn't run yet.
    #expect(publisher == nil)
    executor.runAll()
    #expect(released == nil)
    #expect(values.count == 1)
    // The calls that run still need the loader's closure.
    #expect(closures.count == 0)
    hanging.answer(0, .success(values.makeToken()))
    hanging.answer(1, .success(values.makeToken()))
    executor.runAll()
    #expect((values.count, closures.count) == (3, 1))
  }

  @Test("an idle manager releases everything that it holds, loaded or not", arguments: [true, false])
  func required_5_09_idle(hasLoaded: Bool) {
    let executor = ManualExecutor()
    let (values, closures) = (Deaths(), Deaths())
    weak var publisher: Publisher<Deaths.Token>?
    do {
      let captured = closures.makeToken()
      let manager = LoadingManager<Deaths.Token>(on: executor, timeout: .seconds(1)) {
        withExtendedLifetime(captured) {}
        return values.makeToken()
      }
      publisher = manager.publisher
      if hasLoaded { manager.refreshIfNeeded() }
      executor.runAll()
    }
    executor.runAll()
    #expect(publisher == nil)
    #expect((values.count, closures.count) == ((hasLoaded ? 1 : 0), 1))
  }

  @Test("a caller that awaits refresh keeps the manager alive and gets the result")
  func required_5_09_caller() {
    let executor = ManualExecutor()
    let source = Source<Int>()
    weak var released: LoadingManager<Int>?
    let caller: Caller<State>
    do {
      let manager = LoadingManager<Int>(on: executor) { try await source.load() }
      released = manager
      caller = Caller(on: executor) { await manager.refresh() }
      executor.runAll()
    }
    #expect(source.cancelled == [])
    source.answer(0, .success(7))
    executor.runAll()
    #expect(caller.result == .loaded(7))
    #expect(released == nil)
  }

  @Test("managers that are released while they load leave no load and no loader behind")
  func stochastic_5_09_release() async throws {
    let (loader, deaths) = (EndlessLoader(), Deaths())
    for _ in 0..<1_000 {
      let held = Locked<LoadingManager<Int>?>(nil)
      let captured = deaths.makeToken()
      held.withLock { held in
        held = LoadingManager {
          withExtendedLifetime(captured) {}
          return try await loader.load()
        }
      }
      try await Race.run(threads: 2) { thread in
        if thread == 0 {
          held.withLock { $0 }?.refreshIfNeeded()
        } else {
          let manager = held.withLock { $0.take() }
          withExtendedLifetime(manager) {}
        }
      }
      _ = held.withLock { $0.take() }
    }
    try await deaths.wait(count: 1_000)
    try await loader.waitUntilNoneRuns()
  }

  @Test("a load that is superseded before it has started is over, and keeps nothing")
  func required_5_04_5_09_supersededAtOnce() {
    let (executor, cache, deaths) = (ManualExecutor(), ProbeCache(1), Deaths())
    cache.hold(.read)
    defer {
      cache.release(.read)
      executor.runAll()
    }
    do {
      let captured = deaths.makeToken()
      let manager = LoadingManager<Int>(on: executor, cache: cache) {
        withExtendedLifetime(captured) {}
        return 1
      }
      let resetting = Event()
      manager.publisher.subscribe(resetting, on: .immediate) { [publisher = Weak(manager.publisher)] _, state in
        if state.phase == .loading { publisher.object?.reset() }
      }
      manager.refreshIfNeeded()
      executor.runAll()
    }
    executor.runAll()
    #expect(deaths.count == 1)
  }
}
