import SubPub
import SubPubTesting
import Testing

// Rule 5.06.
extension Section5LoadTests {
  @Test("refreshIfNeeded loads an unknown state, an error, and data from the moment when it is stale")
  func required_5_06_needed() {
    let bench = LoadBench(staleAfter: .seconds(60))
    func loads() -> Bool {
      let before = bench.source.calls
      bench.refreshIfNeeded()
      return bench.source.calls > before
    }
    #expect(loads())
    bench.answer(0, 1)
    #expect(!loads())
    bench.pass(.seconds(60) - .nanoseconds(1))
    #expect(!loads())
    bench.pass(.nanoseconds(1))
    #expect(loads())
    // The active load is shared.
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

  @Test("a clock that is set back makes data young, and no younger than new")
  func required_5_06_setBack() {
    let clock = JumpingClock()
    let bench = LoadBench(staleAfter: .seconds(60), clock: clock, initial: 1)
    clock.jump(by: .seconds(-1_000))
    #expect(bench.publisher.age(of: bench.publisher.current) == .zero)
    #expect(bench.value(maxAge: .zero).result == nil)
    bench.answer(0, 2)
    clock.jump(by: .seconds(2_000))
    #expect(bench.publisher.isStale)
  }

  @Test("the age that data comes with counts")
  func required_5_06_needsRefreshByAge() {
    let bench = LoadBench(staleAfter: .seconds(60))
    bench.publisher.updateData(1, age: .seconds(59))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 0)
    bench.pass(.seconds(1))
    #expect(bench.publisher.current.version == 1)
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 1)
  }

  @Test("data that a cancel restores keeps its age, even after restarting refreshes", arguments: [1, 2, 3])
  func required_5_06_restored(refreshes: Int) {
    let bench = LoadBench(staleAfter: .seconds(60))
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

  @Test("the age of loaded data counts from its publication")
  func required_5_06_loaded() {
    let bench = LoadBench(staleAfter: .seconds(60))
    bench.refresh()
    bench.pass(.seconds(100))
    bench.answer(0, 1)
    bench.pass(.seconds(59))
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    #expect(bench.publisher.current.version == 2)
  }

  @Test("without staleAfter a manager never reads the clock, and loaded data never becomes stale")
  func required_5_06_clockUnread() {
    let clock = PublishingTests.CountingClock()
    let bench = LoadBench(clock: clock)
    bench.refreshIfNeeded()
    bench.answer(0, 1)
    bench.refreshIfNeeded()
    bench.cancel(bench.refresh(restarting: true))
    bench.refresh()
    bench.fail(2)
    bench.logout()
    #expect(clock.readings == 0)
    #expect(bench.source.calls == 3)
  }
}
