import SubPub
import SubPubTesting
import Testing

// Asking for values, cancelling, and polling (rules 5.03 to 5.05, 5.07, and 5.17).
extension Section5LoadTests {
  @Test("a fresh value is returned at once, and any other is loaded by one shared load")
  func required_5_03_5_11_value() {
    let bench = LoadBench(staleAfter: .seconds(60), initial: 1)
    #expect(bench.states == [.loaded(1)])
    #expect(bench.value().result == .loaded(1))
    bench.pass(.seconds(10))
    let callers = [bench.value(maxAge: .seconds(10)), bench.value(maxAge: .seconds(5)), bench.refresh()]
    #expect(bench.value().result == .loaded(1))
    #expect(callers.allSatisfy { $0.result == nil })
    bench.answer(0, 2)
    #expect(callers.allSatisfy { $0.result == .loaded(2) })
    bench.pass(.seconds(60))
    let failing = bench.value()
    bench.fail(1)
    #expect(failing.result == .error(Failure.offline, previous: nil))
    #expect(bench.source.calls == 2)
  }

  @Test("without staleAfter, data without an age is older than any maxAge")
  func required_5_06_5_11_maxAge() {
    let bench = LoadBench(initial: 1)
    #expect(bench.value().result == .loaded(1))
    bench.value(maxAge: .seconds(60))
    bench.answer(0, 2)
    bench.pass(.seconds(59))
    #expect(bench.value(maxAge: .seconds(60)).result == .loaded(2))
    bench.pass(.seconds(1))
    #expect((bench.value(maxAge: .seconds(60)).result, bench.source.calls) == (nil, 2))
  }

  @Test("a value waits for the load that has taken the place of its own")
  func required_5_04_value() {
    let caller = bench.value()
    let restarted = bench.refresh(restarting: true)
    #expect(caller.result == nil)
    bench.answer(1, 2)
    #expect((caller.result, restarted.result) == (.loaded(2), .loaded(2)))
    let missing = LoadBench()
    let nobody = missing.value()
    missing.logout()
    #expect(nobody.result == .error(NotLoaded(phase: .unknown), previous: nil))
    let cancelled = LoadBench()
    let impatient = cancelled.value()
    cancelled.cancel(impatient)
    #expect(impatient.result == .error(CancellationError(), previous: nil))
  }

  @Test("a task that was cancelled before it asks for a value gets none, and starts no load", arguments: [nil, 1])
  func required_5_04_cancelledBefore(initial: Int?) {
    let bench = LoadBench(initial: initial)
    let caller = Caller<(any Error)?>(on: bench.executor) { [manager = bench.manager] in
      do { _ = try await manager.value() } catch { return error }
      return nil
    }
    bench.cancel(caller)
    #expect(caller.result.flatMap(\.self) is CancellationError)
    #expect(bench.source.calls == 0)
  }

  @Test("a cancel ends the load for all callers, and the state before it comes back")
  func required_5_05_cancel() {
    let bench = LoadBench(initial: 1)
    let callers = [bench.refresh(), bench.value(maxAge: .zero)]
    bench.refreshIfNeeded()
    bench.manager.cancel()
    bench.run()
    #expect(callers.allSatisfy { $0.result == .loaded(1) })
    #expect((bench.source.cancelled, bench.publisher.state) == ([0], .loaded(1)))
    bench.manager.cancel()
    #expect(bench.states == [.loaded(1), .loading(previous: 1), .loaded(1)])
  }

  @Test("a loader receives the data at hand")
  func required_5_03_previous() {
    let (executor, received) = (ManualExecutor(), Locked<[Int?]>([]))
    let manager = LoadingManager<Int>(LoadingOptions(on: executor, clock: ManualClock())) { previous in
      received.withLock { $0.append(previous) }
      return (previous ?? 0) + 1
    }
    for _ in 0..<3 {
      manager.invalidate()
      manager.refreshIfNeeded()
      executor.runAll()
    }
    #expect(received.withLock { $0 } == [nil, 1, 2])
  }

  @Test("polling pauses between the end of a load and the next, shares loads, and goes on after errors")
  func required_5_17_interval() {
    let shared = bench.refresh()
    let poll = bench.call { [manager = bench.manager] in await manager.refresh(every: .seconds(10)) }
    bench.pass(.seconds(30))
    #expect(bench.source.calls == 1)
    bench.fail(0)
    #expect(shared.result?.phase == .error)
    bench.pass(.seconds(9))
    #expect(bench.source.calls == 1)
    bench.pass(.seconds(1))
    #expect(bench.source.calls == 2)
    bench.answer(1, 1)
    bench.pass(.seconds(10))
    #expect(bench.source.calls == 3)
    bench.cancel(poll)
    #expect((poll.result != nil, bench.source.cancelled, bench.publisher.state) == (true, [2], .loaded(1)))
    bench.pass(.seconds(100))
    #expect(bench.source.calls == 3)
  }

  @Test("polling keeps no manager alive, and ends with it at once", arguments: [true, false])
  func required_5_17_5_09_released(duringLoad: Bool) {
    let (executor, clock, source) = (ManualExecutor(), ManualClock(), Source<Int>(isStubborn: false))
    let poll: Caller<Void>
    let publisher: Publisher<Int>
    do {
      let manager = LoadingManager<Int>(LoadingOptions(on: executor, clock: clock)) { try await source.load() }
      publisher = manager.publisher
      poll = Caller(on: executor) { [weak manager] in await manager?.refresh(every: .seconds(10)) }
      executor.runAll()
      if !duringLoad { source.answer(0, .success(1)) }
      executor.runAll()
      #expect(poll.result == nil)
    }
    executor.runAll()
    #expect(poll.result != nil)
    #expect((publisher.state, source.calls) == ((duringLoad ? .unknown : .loaded(1)), 1))
  }

  @Test("polling keeps no data alive while it pauses")
  func required_5_17_3_05_data() {
    let (executor, clock, deaths) = (ManualExecutor(), ManualClock(), Deaths())
    let manager = LoadingManager<Deaths.Token>(LoadingOptions(on: executor, clock: clock)) { deaths.makeToken() }
    let poll = Caller(on: executor) { await manager.refresh(every: .seconds(10)) }
    executor.runAll()
    #expect((manager.publisher.state.phase, clock.sleepers) == (.loaded, 1))
    manager.publisher.reset()
    #expect(deaths.count == 1)
    poll.cancel()
    executor.runAll()
    #expect(poll.result != nil)
  }
}
