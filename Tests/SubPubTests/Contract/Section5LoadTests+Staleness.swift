import SubPub
import SubPubTesting
import Testing

// Rules 5.06, 5.13, 5.15, and 5.20: what is stale, and which errors are tried again.
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
    // The age of the data counts from its publication.
    bench.pass(.seconds(100))
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

  /// How long a value is fresh that a manager loads after a time.
  private func freshTime(jitter: Double, seed: UInt64, after time: Duration = .zero, isCached: Bool = false) -> Duration
  {
    let bench = LoadBench(staleAfter: .seconds(60)) { options in
      (options.staleJitter, options.jitterSeed) = (jitter, seed)
      options.cache = isCached ? ProbeCache(1) : nil
    }
    bench.pass(time)
    bench.refreshIfNeeded()
    if !isCached { bench.answer(0, 1) }
    let start = bench.clock.now
    while !bench.publisher.isStale {
      #expect(bench.value().result == .loaded(1))
      bench.pass(.seconds(1))
    }
    let calls = bench.source.calls
    bench.refreshIfNeeded()
    #expect(bench.source.calls == calls + 1)
    return start.duration(to: bench.clock.now)
  }

  @Test("a jitter shortens the time for which data is fresh, by another part for each data", arguments: [false, true])
  func required_5_06_jitter(isCached: Bool) {
    func times(_ jitter: Double) -> [Duration] {
      (0..<40).map { freshTime(jitter: jitter, seed: 7, after: .seconds($0), isCached: isCached) }
    }
    #expect(Set(times(0)) == [.seconds(60)])
    let jittered = times(0.5)
    #expect(jittered.allSatisfy { $0 >= .seconds(30) && $0 <= .seconds(60) })
    #expect(jittered.contains { $0 < .seconds(36) } && jittered.contains { $0 > .seconds(54) })
    #expect(Set(jittered).count > 10)
    // The same seed draws the same, and managers draw their own.
    #expect(jittered == times(0.5))
    #expect(Set((0..<10).map { freshTime(jitter: 1, seed: $0) }).count > 5)
  }

  @Test("a cached value ends a load unless it is older than its own time, and a maxAge knows no jitter")
  func required_5_06_5_11_jitteredCache() {
    let results = (0..<40).map { age in
      let bench = LoadBench(staleAfter: .seconds(60)) { options in
        (options.staleJitter, options.jitterSeed) = (0.5, 7)
        options.cache = ProbeCache(1, age: .seconds(25 + age))
      }
      bench.refreshIfNeeded()
      // Whether it was fresh, and whether it is called so.
      #expect((bench.source.calls == 0) == !bench.publisher.isStale)
      return bench.source.calls
    }
    #expect((results[..<5].allSatisfy { $0 == 0 }, results[35...].allSatisfy { $0 == 1 }) == (true, true))
    #expect(results[5..<35].contains(0) && results[5..<35].contains(1))
    for age in 30..<60 {
      let bench = LoadBench(staleAfter: .seconds(60)) { options in
        (options.staleJitter, options.cache) = (1, ProbeCache(1, age: .seconds(age)))
      }
      #expect(bench.value(maxAge: .seconds(60)).result == .loaded(1))
    }
  }

  @Test("a clock that is set back makes data young, and no younger than new")
  func required_5_06_setBack() {
    let clock = CountingClock()
    let bench = LoadBench(staleAfter: .seconds(60), clock: clock, initial: 1)
    clock.jump(by: .seconds(-1_000))
    #expect(bench.publisher.age(of: bench.publisher.current) == .zero)
    #expect(bench.value(maxAge: .zero).result == nil)
    bench.answer(0, 2)
    clock.jump(by: .seconds(2_000))
    #expect(bench.publisher.isStale)
  }
}
