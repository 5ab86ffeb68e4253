import SubPub
import SubPubTesting
import Testing

// Polls (rule 5.17): pauses that depend on the state, logouts, and listeners.
extension Section5LoadTests {
  @Test("a pause depends on the state that the load has left, and nil ends the poll")
  func required_5_17_pauses() {
    let asked = Locked<[LoadState<Int>]>([])
    let poll = bench.call { [manager = bench.manager] in
      await manager.refresh { state in
        asked.withLock { $0.append(state) }
        return state.value == 2 ? nil : state.error == nil ? .seconds(10) : .seconds(60)
      }
    }
    bench.fail(0)
    bench.pass(.seconds(60) - .nanoseconds(1))
    #expect(bench.source.calls == 1)
    bench.pass(.nanoseconds(1))
    bench.answer(1, 1)
    bench.pass(.seconds(10))
    #expect((bench.source.calls, poll.result == nil) == (3, true))
    bench.answer(2, 2)
    #expect((poll.result != nil, bench.clock.sleepers) == (true, 0))
    #expect(asked.withLock { $0 } == [.error(Failure.offline, previous: nil), .loaded(1), .loaded(2)])
  }

  @Test("a pause begins anew with the end of any load, whoever has asked for it, and however it has ended")
  func required_5_17_otherLoads() {
    let poll = bench.call { [manager = bench.manager] in await manager.refresh(every: .seconds(10)) }
    bench.answer(0, 1)
    bench.pass(.seconds(6))
    bench.refresh()
    bench.answer(1, 2)
    bench.pass(.seconds(9))
    #expect(bench.source.calls == 2)
    bench.refresh()
    bench.fail(2)
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect(bench.source.calls == 3)
    bench.pass(.nanoseconds(1))
    #expect(bench.source.calls == 4)
    // A load that is under way when the pause is over is shared.
    bench.answer(3, 4)
    bench.pass(.seconds(9))
    bench.refresh()
    bench.pass(.seconds(5))
    bench.answer(4, 5)
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect(bench.source.calls == 5)
    bench.pass(.nanoseconds(1))
    #expect((bench.source.calls, poll.result == nil) == (6, true))
    bench.cancel(poll)
  }

  @Test("a load of a poll that ends without a result is followed by a whole pause", arguments: [true, false])
  func required_5_17_endedLoads(byHand: Bool) {
    let poll = bench.call { [manager = bench.manager] in await manager.refresh(every: .seconds(10)) }
    bench.answer(0, 1)
    bench.pass(.seconds(10))
    for calls in 2...4 {
      #expect(bench.source.calls == calls)
      if byHand { bench.publisher.updateData(5) } else { bench.manager.cancel() }
      bench.run()
      bench.pass(.seconds(10) - .nanoseconds(1))
      #expect(bench.source.calls == calls)
      bench.pass(.nanoseconds(1))
    }
    bench.cancel(poll)
  }

  @Test("a poll that waits for a listener doesn't load what a caller has loaded a moment ago")
  func required_5_17_listenerAfterLoad() {
    let (executor, clock, source) = (ManualExecutor(), ManualClock(), Source<Int>(isStubborn: false))
    let manager = LoadingManager<Int>(LoadingOptions(on: executor, clock: clock)) { try await source.load() }
    let poll = Caller(on: executor) { await manager.refresh(every: .seconds(10), pausingWithoutListeners: true) }
    executor.runAll()
    clock.advance(by: .seconds(100))
    manager.refreshIfNeeded()
    executor.runAll()
    source.answer(0, .success(1))
    executor.runAll()
    clock.advance(by: .seconds(1))
    let log = Recorder<Int>()
    manager.publisher.subscribe(log, on: .immediate)
    executor.runAll()
    #expect(source.calls == 1)
    clock.advance(by: .seconds(9))
    executor.runAll()
    #expect(source.calls == 2)
    poll.cancel()
    source.close()
    executor.runAll()
    withExtendedLifetime(log) {}
  }

  @Test("a logout ends a poll at once, in a pause and during a load", arguments: [true, false])
  func required_5_17_5_10_logout(duringLoad: Bool) {
    let polls = [
      bench.call { [manager = bench.manager] in await manager.refresh(every: .seconds(10)) },
      bench.call { [manager = bench.manager] in await manager.refresh { _ in .seconds(10) } },
    ]
    if !duringLoad { bench.answer(0, 1) }
    bench.logout()
    #expect(polls.allSatisfy { $0.result != nil })
    bench.pass(.seconds(10))
    #expect((bench.source.calls, bench.publisher.state, bench.clock.sleepers) == (1, .unknown, 0))
    // The next one polls for the next user.
    let next = bench.call { [manager = bench.manager] in await manager.refresh(every: .seconds(10)) }
    bench.answer(1, 2)
    #expect((next.result == nil, bench.publisher.state) == (true, .loaded(2)))
    bench.cancel(next)
  }

  @Test("a poll goes on after a logout if it is told to, with the same pause", arguments: [true, false])
  func required_5_17_afterLogout(duringLoad: Bool) {
    let poll = bench.call { [manager = bench.manager] in
      await manager.refresh(every: .seconds(10), endingAtLogout: false)
    }
    if !duringLoad {
      bench.answer(0, 1)
      bench.pass(.seconds(5))
    }
    bench.logout()
    bench.pass(.seconds(duringLoad ? 10 : 5) - .nanoseconds(1))
    #expect(bench.source.calls == 1)
    bench.pass(.nanoseconds(1))
    #expect((bench.source.calls, poll.result == nil) == (2, true))
    bench.cancel(poll)
  }

  @Test("a poll that pauses without listeners loads what is due when somebody arrives")
  func required_5_17_listeners() {
    let (executor, clock, source) = (ManualExecutor(), ManualClock(), Source<Int>(isStubborn: false))
    let manager = LoadingManager<Int>(LoadingOptions(on: executor, clock: clock)) { try await source.load() }
    let poll = Caller(on: executor) { await manager.refresh(every: .seconds(10), pausingWithoutListeners: true) }
    // Whoever listens to everything doesn't count.
    let (directory, all, log) = (PublisherDirectory(), Listener(), Recorder<Int>())
    directory.register(manager)
    directory.subscribeToAll(all, on: .immediate)
    executor.runAll()
    #expect((source.calls, clock.sleepers) == (0, 0))
    manager.publisher.subscribe(log, on: .immediate)
    executor.runAll()
    #expect(source.calls == 1)
    source.answer(0, .success(1))
    executor.runAll()
    // Whoever comes back before the pause is over changes nothing.
    manager.publisher.unsubscribe(log)
    var other: Recorder<Int>? = Recorder<Int>()
    if let other { manager.publisher.subscribe(other, on: .immediate) }
    clock.advance(by: .seconds(9))
    executor.runAll()
    #expect(source.calls == 1)
    // It dies unnoticed, and doesn't listen any more.
    other = nil
    clock.advance(by: .seconds(1))
    executor.runAll()
    #expect((source.calls, clock.sleepers) == (1, 0))
    clock.advance(by: .seconds(100))
    manager.publisher.subscribe(log, on: .immediate)
    executor.runAll()
    #expect(source.calls == 2)
    source.answer(1, .success(2))
    executor.runAll()
    #expect((log.states.last, poll.result == nil) == (.loaded(2), true))
    poll.cancel()
    executor.runAll()
    #expect(poll.result != nil)
  }

  /// What ends a poll that waits for a listener.
  enum PollEnd: String, CaseIterable, Sendable { case cancel, logout, release, finish }

  @Test("a poll that waits for a listener ends like any other", arguments: PollEnd.allCases)
  func required_3_09_5_17_5_09_waiting(end: PollEnd) {
    let (executor, source) = (ManualExecutor(), Source<Int>(isStubborn: false))
    var manager: LoadingManager<Int>? = LoadingManager<Int>(on: executor) { try await source.load() }
    let publisher = manager?.publisher
    let poll = Caller(on: executor) { [weak manager] in
      await manager?.refresh(every: .seconds(10), pausingWithoutListeners: true)
    }
    executor.runAll()
    #expect(poll.result == nil)
    switch end {
    case .cancel: poll.cancel()
    case .logout: manager?.logout()
    case .release: manager = nil
    case .finish: publisher?.finish()
    }
    executor.runAll()
    #expect((poll.result != nil, source.calls) == (true, 0))
    withExtendedLifetime(manager) {}
  }
}
