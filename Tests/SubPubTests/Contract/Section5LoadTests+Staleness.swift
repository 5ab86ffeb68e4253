import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test("5.06: refreshIfNeeded loads what is unknown, an error, and what is stale, from the very moment when it is")
  func required_5_06_needed() {
    let bench = LoadBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    func loads() -> Bool {
      let before = bench.source.calls
      bench.manager.refreshIfNeeded()
      bench.run()
      return bench.source.calls > before
    }
    #expect(loads())
    bench.answer(0, 1)
    #expect(!loads())
    bench.pass(.seconds(60) - .nanoseconds(1))
    #expect(!loads())
    bench.pass(.nanoseconds(1))
    #expect(loads())
    // Under way: it is shared.
    #expect(!loads())
    bench.fail(1)
    #expect(loads())
    bench.answer(2, 3)
    #expect(!loads())
    bench.publisher.setError(Failure.denied)
    #expect(loads())
    bench.answer(3, 4)
    bench.manager.logout()
    #expect(loads())
  }

  @Test("5.06: refreshIfNeeded does nothing while somebody else loads")
  func required_5_06_loadingOfAnother() {
    let bench = LoadBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    bench.publisher.startLoading()
    bench.manager.refreshIfNeeded()
    bench.publisher.updateData(1, age: .seconds(61))
    bench.publisher.startLoading()
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 0)
    #expect(bench.publisher.current.version == 3)
  }

  @Test("5.06: data that came with an age needs a refresh the sooner")
  func required_5_06_needsRefreshByAge() {
    let bench = LoadBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    bench.publisher.updateData(1, age: .seconds(59))
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 0)
    bench.pass(.seconds(1))
    #expect(bench.publisher.current.version == 1)
    bench.manager.refreshIfNeeded()
    bench.run()
    #expect(bench.source.calls == 1)
  }

  @Test("5.06: data that a cancel brings back is as old as it was, also after forced refreshes", arguments: [1, 2, 3])
  func required_5_06_restored(refreshes: Int) {
    let bench = LoadBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    bench.publisher.updateData(1, age: .seconds(10))
    bench.pass(.seconds(20))
    var callers = [bench.refresh()]
    for _ in 1..<refreshes { callers.append(bench.refresh(restarting: true)) }
    bench.pass(.seconds(20))
    bench.cancel(callers[refreshes - 1])
    #expect(bench.publisher.state == .loaded(1))
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect(!bench.publisher.isStale)
    bench.pass(.nanoseconds(1))
    #expect(bench.publisher.isStale)
  }

  @Test("5.06: what was loaded counts as new from when it was published, and not from when it was asked for")
  func required_5_06_loaded() {
    let bench = LoadBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    bench.refresh()
    bench.pass(.seconds(100))
    bench.answer(0, 1)
    bench.pass(.seconds(59))
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    #expect(bench.publisher.current.version == 2)
  }

  @Test("5.06: without staleAfter a manager never reads the clock, and what is loaded never needs a refresh")
  func required_5_06_clockUnread() {
    let clock = PublishingTests.CountingClock()
    let bench = LoadBench(clock: clock)
    defer { bench.finish() }
    bench.manager.refreshIfNeeded()
    bench.run()
    bench.answer(0, 1)
    bench.manager.refreshIfNeeded()
    bench.run()
    bench.cancel(bench.refresh(restarting: true))
    bench.refresh()
    bench.fail(2)
    bench.manager.logout()
    bench.run()
    #expect(clock.readings == 0)
    #expect(bench.source.calls == 3)
  }
}
