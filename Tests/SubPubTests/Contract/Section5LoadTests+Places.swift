import SubPub
import SubPubTesting
import Testing

// Rule 5.19: families that limit how many loads run at once.
extension Section5LoadTests {
  /// A family whose loaders the test ends, and the keys for which they were called.
  final class LimitedFamily: SteppedBench, Sendable {
    let executor: ManualExecutor
    let clock = ManualClock()
    let source: Source<Int>
    let outcome: Void = ()
    private let called = Locked<[Int]>([])
    let family: ManagerFamily<Int, LoadingManager<Int>>

    init(
      limit: Int?, isStubborn: Bool = false, seed: UInt64? = nil, timeout: Duration? = nil,
      retry: RetryPolicy = .never, cache: @escaping @Sendable (Int) -> (any StateCache<Int>)? = { _ in nil }
    ) {
      let (executor, source) = (ManualExecutor(seed: seed), Source<Int>(isStubborn: isStubborn))
      (self.executor, self.source) = (executor, source)
      family = ManagerFamily(lingering: .seconds(4e9), maxConcurrentLoads: limit) { [called, clock] key in
        LoadingManager<Int>(on: executor, timeout: timeout, retry: retry, clock: clock, cache: cache(key)) {
          called.withLock { $0.append(key) }
          return try await source.load()
        }
      }
    }

    deinit { finish() }

    /// The keys for which the loader was called, in order.
    var calls: [Int] { called.withLock { $0 } }

    /// The phase of each manager.
    func phases(_ keys: Range<Int>) -> [LoadPhase] { keys.map { family[$0].publisher.state.phase } }

    func load(_ keys: Range<Int>) {
      for key in keys { family[key].refreshIfNeeded() }
      run()
    }

    func answer(_ call: Int) {
      source.answer(call, .success(call))
      run()
    }
  }

  @Test("at most so many loads call their loaders, and the others follow in the order in which they were asked for")
  func required_5_19_places() {
    let bench = LimitedFamily(limit: 2)
    bench.load(0..<4)
    #expect((bench.calls, bench.phases(0..<4)) == ([0, 1], [.loading, .loading, .loading, .loading]))
    bench.answer(1)
    #expect((bench.calls, bench.phases(0..<4)) == ([0, 1, 2], [.loading, .loaded, .loading, .loading]))
    // The place of one that fails is free as well.
    bench.fail(0)
    #expect((bench.calls, bench.family[0].publisher.state) == ([0, 1, 2, 3], .error(Failure.offline, previous: nil)))
    for call in 2..<4 { bench.answer(call) }
    bench.load(4..<7)
    #expect(bench.calls == [0, 1, 2, 3, 4, 5])
    let unlimited = LimitedFamily(limit: nil)
    unlimited.load(0..<10)
    #expect(unlimited.calls.count == 10)
  }

  @Test(
    "loads begin in the order in which they were asked for, whatever order their tasks run in",
    arguments: UInt64(0)..<20)
  func stochastic_5_19_placesInOrder(seed: UInt64) {
    let bench = LimitedFamily(limit: 1, seed: seed)
    bench.load(0..<10)
    for call in 0..<10 { bench.answer(call) }
    #expect(bench.calls == Array(0..<10))
  }

  /// What ends a load before its loader has.
  enum PlaceEnd: String, CaseIterable, Codable, Sendable { case cancel, logout, supersede, timeOut }

  @Test(
    "a load that has ended otherwise loses its place, even if its loader ignores that", arguments: PlaceEnd.allCases,
    [false, true])
  func required_5_19_placesGivenUp(end: PlaceEnd, isStubborn: Bool) {
    let bench = LimitedFamily(limit: 1, isStubborn: isStubborn, timeout: .seconds(10))
    bench.load(0..<2)
    #expect(bench.calls == [0])
    switch end {
    case .cancel: bench.family[0].cancel()
    case .logout: bench.family[0].logout()
    case .supersede: bench.family[0].set(1)
    case .timeOut: bench.clock.advance(by: .seconds(10))
    }
    bench.run()
    #expect((bench.calls, bench.family[1].publisher.state) == ([0, 1], .loading(previous: nil)))
    bench.answer(1)
    #expect(bench.family[1].publisher.state == .loaded(1))
  }

  @Test("a load that ends while it waits for a place takes none, and its loader isn't called")
  func required_5_19_placesUnused() {
    let bench = LimitedFamily(limit: 1)
    bench.load(0..<4)
    bench.family[1].logout()
    bench.family[2].cancel()
    bench.run()
    bench.answer(0)
    #expect((bench.calls, bench.phases(0..<4)) == ([0, 3], [.loaded, .unknown, .unknown, .loading]))
    bench.load(1..<2)
    bench.answer(1)
    #expect(bench.calls == [0, 3, 1])
  }

  @Test("a load that ends before its task has begun gives its place up")
  func required_5_19_placesUnbegun() {
    let bench = LimitedFamily(limit: 1)
    bench.family[0].refreshIfNeeded()
    bench.family[0].cancel()
    bench.load(1..<2)
    #expect(bench.calls == [1])
  }

  @Test("the time-out of a load begins when it has a place")
  func required_5_19_5_07_placesAndTime() {
    let bench = LimitedFamily(limit: 1, timeout: .seconds(10))
    bench.load(0..<2)
    bench.pass(.seconds(9))
    bench.answer(0)
    bench.pass(.seconds(9))
    #expect(bench.phases(0..<2) == [.loaded, .loading])
    bench.pass(.seconds(1))
    #expect(bench.phases(0..<2) == [.loaded, .error])
  }

  @Test("a load that waits to try again takes no place, and then comes last")
  func required_5_19_5_07_placesBetweenAttempts() {
    let bench = LimitedFamily(limit: 1, retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(5) })
    bench.load(0..<3)
    bench.fail(0)
    #expect(bench.calls == [0, 1])
    bench.pass(.seconds(5))
    bench.answer(1)
    bench.answer(2)
    #expect(bench.calls == [0, 1, 2, 0])
    bench.answer(3)
    #expect(bench.phases(0..<3) == [.loaded, .loaded, .loaded])
  }

  @Test("a cached value is shown without a place, and a fresh one needs none")
  func required_5_19_5_11_placesAndCaches() {
    let bench = LimitedFamily(limit: 1, cache: { key in key == 0 ? nil : ProbeCache(key * 100) })
    bench.load(0..<2)
    let caller = Caller(on: bench.executor) { [family = bench.family] in await family[2].refresh() }
    bench.run()
    #expect((bench.calls, bench.family[1].publisher.state) == ([0], .loaded(100)))
    #expect(bench.family[2].publisher.state == .loading(previous: 200))
    bench.answer(0)
    bench.answer(1)
    #expect((bench.calls, caller.result) == ([0, 2], .loaded(1)))
  }

  @Test("the limit is for the managers that make creates, and not for those of a family that it asks")
  func required_5_19_placesOfOtherFamilies() {
    let other = LimitedFamily(limit: nil)
    let limited = ManagerFamily<Int, LoadingManager<Int>>(maxConcurrentLoads: 1) { [family = other.family] in family[$0]
    }
    let managers = (0..<3).map { limited[$0] }
    other.load(0..<3)
    #expect((other.calls, managers.count) == ([0, 1, 2], 3))
  }
}
