import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test(
    "5.04: what overtakes a load cancels its loader, and has its callers return with the current state before the loader does",
    arguments: Overtaking.allCases)
  func required_5_04_callers(how: Overtaking) {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    bench.publisher.updateData(1)
    let callers = [bench.refresh(), bench.refresh()]
    how.perform(at: bench)
    bench.run()
    #expect(bench.source.cancelled == [0])
    let current = bench.publisher.state
    for caller in callers { #expect(caller.result == current) }
    if how == .forcedRefresh { #expect(current == .loading(previous: 1)) }
  }

  @Test("5.04: its late result is dropped, be it data or an error", arguments: Overtaking.allCases, [true, false])
  func required_5_04_lateResult(how: Overtaking, isData: Bool) {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    bench.refresh()
    how.perform(at: bench)
    bench.run()
    let before = bench.publisher.current
    if isData { bench.answer(0, 7) } else { bench.fail(0) }
    #expect(bench.publisher.current === before)
    #expect(bench.source.calls == (how == .forcedRefresh ? 2 : 1))
    if how == .forcedRefresh {
      bench.answer(1, 8)
      #expect(bench.publisher.state == .loaded(8))
    }
  }

  @Test("5.04: a result that is on its way to be published is dropped as well", arguments: Overtaking.allCases, [0, 1])
  func required_5_04_resultOnItsWay(how: Overtaking, steps: Int) {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    bench.refresh()
    bench.source.answer(0, .success(7))
    // The loader's last; the one after that publishes.
    for _ in 0..<steps { #expect(bench.executor.runOne()) }
    #expect(bench.publisher.state == .loading(previous: nil))
    if how == .forcedRefresh {
      let other = ManualExecutor()
      _ = Caller(on: other) { [manager = bench.manager] in await manager.refresh(restarting: true) }
      other.runAll()
      bench.run()
      #expect(bench.publisher.state == .loading(previous: nil))
      bench.answer(1, 8)
      #expect(bench.publisher.state == .loaded(8))
      other.runAll()
    } else {
      how.perform(at: bench)
      let before = bench.publisher.current
      bench.run()
      #expect(bench.publisher.current === before)
    }
  }

  @Test(
    "5.04: a load that was overtaken while it waits for its next attempt isn't tried again",
    arguments: Overtaking.allCases)
  func required_5_04_betweenAttempts(how: Overtaking) {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(5) })
    defer { bench.finish() }
    bench.refresh()
    bench.fail(0)
    #expect(bench.clock.sleepers == 1)
    how.perform(at: bench)
    bench.run()
    #expect(bench.clock.sleepers == 0)
    let before = bench.publisher.current
    bench.pass(.seconds(5))
    #expect(bench.publisher.current === before)
    // The forced refresh calls it, for itself.
    #expect(bench.source.calls == (how == .forcedRefresh ? 2 : 1))
  }

  @Test(
    "5.04: nor is it with a clock that sleeps on when it is cancelled", arguments: Overtaking.allCases)
  func required_5_04_stubbornClock(how: Overtaking) {
    let clock = StubbornClock()
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(5) }, clock: clock)
    defer {
      bench.finish()
      // Each wait is followed by an attempt, which the closed source fails, until there is none left.
      while clock.sleepers > 0 {
        clock.wakeAll()
        bench.run()
      }
    }
    let caller = bench.refresh()
    bench.fail(0)
    #expect(clock.sleepers == 1)
    how.perform(at: bench)
    bench.run()
    #expect(caller.result == bench.publisher.state)
    let before = bench.publisher.current
    clock.wakeAll()
    bench.run()
    #expect(bench.publisher.current === before)
    #expect(bench.source.calls == (how == .forcedRefresh ? 2 : 1))
  }

  @Test("5.04: publish() overtakes nothing, however often", arguments: [1, 5])
  func required_5_04_publish(times: Int) {
    let bench = LoadBench()
    defer { bench.finish() }
    let first = bench.refresh()
    for _ in 0..<times { bench.publisher.republish() }
    bench.run()
    let second = bench.refresh()
    #expect(bench.source.calls == 1)
    #expect(bench.source.cancelled == [])
    #expect(first.result == nil)
    bench.publisher.republish()
    bench.answer(0, 7)
    for caller in [first, second] { #expect(caller.result == .loaded(7)) }
    #expect(bench.states.filter { $0.phase == .loading }.count == times + 2)
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test("5.04: a load that publish() went past is overtaken as any other is, and given up as any other is")
  func required_5_04_afterPublish() {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    let first = bench.refresh()
    bench.publisher.republish()
    bench.publisher.updateData(50)
    bench.run()
    #expect(first.result == .loaded(50))
    bench.answer(0, 7)
    #expect(bench.publisher.state == .loaded(50))
    let second = bench.refresh()
    bench.publisher.republish()
    bench.cancel(second)
    #expect(bench.source.cancelled == [0, 1])
    #expect(bench.publisher.state == .loaded(50))
  }

  @Test("5.04: a transform that throws, and an updateData(ifChanged:) that finds no difference, overtake nothing")
  func required_5_04_noTransition() {
    let cache = ProbeCache(2)
    let bench = LoadBench(cache: cache)
    defer { bench.finish() }
    // A load shows loaded data only for the time in which it shows what the cache has.
    let found = Recorder<Int>()
    bench.publisher.subscribe(found, on: .immediate) { [publisher = Weak(bench.publisher)] found, state in
      if state == .loaded(2) { #expect(publisher.object?.updateData(ifChanged: 2) == false) }
      found.receive(state)
    }
    let caller = bench.refresh()
    #expect(found.states.contains(.loaded(2)))
    #expect(throws: Failure.denied) { try bench.publisher.update { _ in throw Failure.denied } }
    bench.answer(0, 7)
    #expect(caller.result == .loaded(7))
    #expect(bench.source.cancelled == [])
  }

  @Test("5.04: a subscriber that resets in the callback for a load's loading ends it before the loader is called")
  func required_5_04_fromCallback() {
    let bench = LoadBench()
    defer { bench.finish() }
    let grim = Recorder<Int>()
    bench.publisher.subscribe(grim, on: .immediate) { [publisher = Weak(bench.publisher)] grim, state in
      if state.phase == .loading { publisher.object?.reset() }
      grim.receive(state)
    }
    let caller = bench.refresh()
    #expect(caller.result == .unknown)
    #expect(bench.source.calls == 0)
    #expect(bench.states == [.unknown, .loading(previous: nil), .unknown])
  }

  @Test("5.04: the forced refresh of one of many loads once more, and who joins it gets its result")
  func required_5_04_forced() {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    let first = bench.refresh()
    let forced = bench.refresh(restarting: true)
    let joining = bench.refresh()
    #expect(bench.source.calls == 2)
    #expect(bench.source.cancelled == [0])
    #expect(first.result == .loading(previous: nil))
    bench.answer(0, 7)
    #expect(forced.result == nil)
    bench.answer(1, 8)
    #expect(forced.result == .loaded(8))
    #expect(joining.result == .loaded(8))
    #expect(bench.states == [.unknown, .loading(previous: nil), .loading(previous: nil), .loaded(8)])
  }
}
