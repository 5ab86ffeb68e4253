import Dispatch
import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test(
    "5.05: when the last waiter is cancelled the loader is, and the state before the load comes back",
    arguments: Before.allCases, [1, 2, 100])
  func required_5_05_lastWaiter(before: Before, callers count: Int) {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    before.make(at: bench.publisher)
    let old = bench.publisher.current
    let callers = (0..<count).map { _ in bench.refresh() }
    #expect(bench.publisher.current.version == old.version + 1)
    for caller in callers.dropLast() { bench.cancel(caller) }
    #expect(bench.source.cancelled == [])
    #expect(bench.publisher.state == .loading(previous: old.state.value))
    bench.cancel(callers[count - 1])
    #expect(bench.source.cancelled == [0])
    #expect(bench.publisher.state == old.state)
    #expect(bench.publisher.current.version == old.version + 2)
    #expect(callers[count - 1].result == old.state)
    bench.answer(0, 7)
    #expect(bench.publisher.current.version == old.version + 2)
  }

  @Test("5.05: one of two that is cancelled returns at once, with loading; the other gets the result")
  func required_5_05_oneOfTwo() {
    let bench = LoadBench()
    defer { bench.finish() }
    bench.publisher.updateData(1)
    let (first, second) = (bench.refresh(), bench.refresh())
    bench.cancel(first)
    #expect(first.result == .loading(previous: 1))
    #expect(bench.source.cancelled == [])
    #expect(second.result == nil)
    bench.answer(0, 7)
    #expect(second.result == .loaded(7))
    #expect(first.result == .loading(previous: 1))
  }

  @Test("5.05: who joins after others gave up keeps the load", arguments: [true, false])
  func required_5_05_newcomer(leavesLast: Bool) {
    let bench = LoadBench()
    defer { bench.finish() }
    let (first, second) = (bench.refresh(), bench.refresh())
    bench.cancel(first)
    let third = bench.refresh()
    bench.cancel(second)
    #expect(bench.source.cancelled == [])
    if leavesLast {
      bench.cancel(third)
      #expect(bench.source.cancelled == [0])
      #expect(bench.publisher.state == .unknown)
    } else {
      bench.answer(0, 7)
      #expect(third.result == .loaded(7))
    }
    #expect(bench.source.calls == 1)
  }

  @Test(
    "5.05: a load that refreshIfNeeded wants goes on without waiters, whether it began it or came later",
    arguments: [true, false])
  func required_5_05_kept(beganIt: Bool) {
    let bench = LoadBench()
    defer { bench.finish() }
    if beganIt { bench.manager.refreshIfNeeded() }
    let caller = bench.refresh()
    if !beganIt { bench.manager.refreshIfNeeded() }
    bench.cancel(caller)
    #expect(caller.result == .loading(previous: nil))
    #expect(bench.source.cancelled == [])
    bench.answer(0, 7)
    #expect(bench.publisher.state == .loaded(7))
    #expect(bench.source.calls == 1)
  }

  @Test("5.05: a refreshIfNeeded wants also the load that a forced refresh begins in the place of its own")
  func required_5_05_keptThroughForced() {
    let bench = LoadBench()
    defer { bench.finish() }
    bench.manager.refreshIfNeeded()
    bench.run()
    let caller = bench.refresh(restarting: true)
    bench.cancel(caller)
    #expect(bench.source.cancelled == [0])
    bench.answer(1, 7)
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test(
    "5.05: a caller that is cancelled already begins nothing, and returns the current state", arguments: [true, false])
  func required_5_05_alreadyCancelled(force: Bool) {
    let bench = LoadBench()
    defer { bench.finish() }
    bench.publisher.updateData(1)
    let caller = Caller(on: bench.executor) { [manager = bench.manager] in await manager.refresh(restarting: force) }
    bench.cancel(caller)
    #expect(caller.result == .loaded(1))
    #expect(bench.source.calls == 0)
    #expect(bench.publisher.current.version == 1)
  }

  @Test("5.05: nor does it overtake, or keep, the load under way", arguments: [true, false])
  func required_5_05_alreadyCancelledDuringLoad(force: Bool) {
    let bench = LoadBench()
    defer { bench.finish() }
    let waiting = bench.refresh()
    let late = Caller(on: bench.executor) { [manager = bench.manager] in await manager.refresh(restarting: force) }
    bench.cancel(late)
    #expect(late.result == .loading(previous: nil))
    #expect(bench.source.calls == 1)
    bench.cancel(waiting)
    #expect(bench.publisher.state == .unknown)
  }

  @Test(
    "5.05: a forced refresh that is cancelled brings back what was there before the load that it overtook",
    arguments: Before.allCases)
  func required_5_05_forced(before: Before) {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    before.make(at: bench.publisher)
    let old = bench.publisher.state
    bench.refresh()
    bench.refresh(restarting: true)
    let last = bench.refresh(restarting: true)
    #expect(bench.source.cancelled == [0, 1])
    bench.cancel(last)
    #expect(last.result == old)
    #expect(bench.publisher.state == old)
    #expect(bench.source.cancelled == [0, 1, 2])
  }

  @Test("5.05: after the last cancel a caller begins a new load, and doesn't wait for a loader that hangs")
  func required_5_05_afterwards() {
    let bench = LoadBench(isStubborn: true)
    defer { bench.finish() }
    bench.publisher.updateData(1)
    for round in 0..<3 {
      let caller = bench.refresh()
      #expect(bench.source.calls == round + 1)
      bench.cancel(caller)
      #expect(bench.publisher.state == .loaded(1))
    }
    let caller = bench.refresh()
    bench.answer(3, 7)
    #expect(caller.result == .loaded(7))
    for call in 0..<3 { bench.answer(call, call) }
    #expect(bench.publisher.state == .loaded(7))
  }

  @Test(
    "5.05: nothing comes back over what somebody else has published; the load has been overtaken",
    arguments: Overtaking.allCases.filter { $0 != .forcedRefresh })
  func required_5_05_overtaken(how: Overtaking) {
    let bench = LoadBench()
    defer { bench.finish() }
    bench.publisher.updateData(1)
    let caller = bench.refresh()
    how.perform(at: bench)
    let current = bench.publisher.current
    bench.cancel(caller)
    #expect(bench.publisher.current === current)
  }

  @Test("5.05: cancelled between two attempts, the state before comes back at once and the loader isn't called again")
  func required_5_05_betweenAttempts() {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(5) })
    defer { bench.finish() }
    bench.publisher.updateData(1)
    let caller = bench.refresh()
    bench.fail(0)
    bench.cancel(caller)
    #expect(caller.result == .loaded(1))
    #expect(bench.clock.sleepers == 0)
    bench.pass(.seconds(5))
    #expect(bench.source.calls == 1)
    #expect(bench.publisher.current.version == 3)
  }

  @Test("5.05: cancelled before the loader was called, it isn't called")
  func required_5_05_beforeTheLoader() {
    let bench = LoadBench()
    defer { bench.finish() }
    let other = ManualExecutor()
    let caller = Caller(on: other) { [manager = bench.manager] in await manager.refresh() }
    other.runAll()
    #expect(bench.publisher.state == .loading(previous: nil))
    caller.cancel()
    other.runAll()
    #expect(caller.result == .unknown)
    bench.run()
    #expect(bench.source.calls == 0)
  }

  @Test("5.05: who is cancelled while the result is delivered leaves nothing of it behind")
  func required_5_05_duringTheResult() throws {
    let (executor, callers, deaths) = (ManualExecutor(), ManualExecutor(), Deaths())
    let source = Source<Deaths.Mortal>()
    let manager = LoadingManager<Deaths.Mortal>(on: executor) { try await source.load() }
    let caller = Caller(on: callers) { _ = await manager.refresh() }
    let canceller = Recorder<Deaths.Mortal>()
    callers.runAll()
    executor.runAll()
    manager.publisher.subscribe(canceller, on: .immediate) { _, state in
      guard state.phase == .loaded else { return }
      caller.cancel()
      callers.runAll()
    }
    source.answer(0, .success(deaths.mortal()))
    executor.runAll()
    #expect(caller.result != nil)
    #expect(deaths.count == 0)
    manager.publisher.reset()
    #expect(deaths.count == 1)
    withExtendedLifetime(canceller) {}
  }

  @Test("5.05: the last who is cancelled goes on when the state that came back has been delivered")
  func required_5_05_delivered() async throws {
    let (loader, queue, gate, delivered) = (EndlessLoader(), DispatchQueue(label: "caller"), Gate(), Event())
    defer { gate.open() }
    let manager = LoadingManager<Int> { try await loader.load() }
    // Its jobs run one after the other: what is asked for later comes when the task waits, or has ended.
    let caller = Task.detached(executorPreference: QueueExecutor(queue)) {
      await manager.refresh()
      return delivered.count
    }
    let recorder = Recorder<Int>()
    manager.publisher.subscribe(recorder, on: .immediate)
    try await recorder.wait { $0.phase == .loading }
    await queue.passed()
    let last = Recorder<Int>()
    manager.publisher.subscribe(last, on: .immediate) { _, state in
      guard state == .unknown else { return }
      gate.pass()
      delivered.happen()
    }
    OwnThread.start { caller.cancel() }
    await gate.waitUntilHeld()
    queue.async { gate.open() }
    #expect(await caller.value == 1)
    withExtendedLifetime(last) {}
  }

  @Test("5.05: when all who wait are cancelled at once, from several threads, no loading is left behind")
  func stochastic_5_05_giveUp() async throws {
    let loader = EndlessLoader()
    let manager = LoadingManager<Int> { try await loader.load() }
    for round in 0..<1_000 {
      manager.publisher.updateData(round)
      let callers = (0..<3).map { _ in Caller { await manager.refresh() } }
      try await Race.run(threads: 3) { callers[$0].cancel() }
      for caller in callers { try await caller.wait() }
      #expect(manager.publisher.state == .loaded(round))
    }
    // Each call of the loader has been cancelled.
    try await loader.waitUntilNoneRuns()
  }

  @Test("5.05: what refreshIfNeeded wants is loaded, also if another load begins at that moment and is given up")
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
