import SubPub
import SubPubTesting
import Testing

// Rule 5.13.
extension Section5LoadTests {
  @Test("an error is left alone until it is old enough, unless it was published by hand")
  func required_5_13_errors() {
    let bench = LoadBench(options: { $0.errorStaleAfter = .seconds(10) })
    bench.refreshIfNeeded()
    bench.fail(0)
    bench.publisher.republish()
    bench.pass(.seconds(9))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 1)
    // The same error again, after a refresh that was cancelled.
    bench.cancel(bench.refresh())
    #expect((bench.publisher.state.phase, bench.source.calls) == (.error, 2))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 2)
    bench.pass(.seconds(1))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 3)
    bench.answer(2, 1)
    bench.publisher.setError(PublishingTests.Failure.offline)
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 4)
  }

  @Test("an error without an age to reach is tried again at once, and so is an invalidated one")
  func required_5_13_atOnce() {
    let eager = LoadBench()
    eager.refreshIfNeeded()
    eager.fail(0)
    eager.refreshIfNeeded()
    #expect(eager.source.calls == 2)
    let patient = LoadBench(options: { $0.errorStaleAfter = .seconds(10) })
    patient.refreshIfNeeded()
    patient.fail(0)
    patient.manager.invalidate()
    patient.refreshIfNeeded()
    #expect(patient.source.calls == 2)
  }

  @Test("a loading that was published by hand keeps nobody from loading")
  func required_5_13_loadingByHand() {
    let bench = LoadBench()
    bench.publisher.startLoading()
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 1)
    bench.answer(0, 1)
    #expect(bench.publisher.state == .loaded(1))
  }

  @Test("a load that fails after the data was invalidated doesn't count")
  func required_5_13_5_15_outdated() {
    let bench = LoadBench(options: { $0.errorStaleAfter = .seconds(10) })
    bench.refresh()
    bench.manager.invalidate()
    bench.fail(0)
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 2)
    bench.fail(1)
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 2)
  }

  @Test("an error that a cancel restores is as old as it was, even after a restart", arguments: [true, false])
  func required_5_13_5_05_restored(isInvalidated: Bool) {
    let bench = LoadBench(options: { $0.errorStaleAfter = .seconds(10) })
    bench.refresh()
    bench.fail(0)
    bench.refresh()
    let last = bench.refresh(restarting: true)
    if isInvalidated { bench.manager.invalidate() }
    bench.cancel(last)
    #expect((bench.publisher.state.phase, bench.source.calls) == (.error, 3))
    bench.refreshIfNeeded()
    #expect(bench.source.calls == (isInvalidated ? 4 : 3))
  }
}
