import SubPub
import SubPubTesting
import Testing

// Rule 5.10, for `cachedValue()`.
extension Section5LoadTests {
  private func cachedValue(at bench: LoadBench) -> Caller<Result<Cached<Int>?, any Error>> {
    bench.call { [manager = bench.manager] in
      do { return .success(try await manager.cachedValue()) } catch { return .failure(error) }
    }
  }

  @Test("the cached value is read in its order, and neither loads nor publishes anything")
  func required_5_10_cachedValue() throws {
    #expect(try cachedValue(at: bench).result?.get() == .some(nil))
    let cache = ProbeCache(4, age: .seconds(3))
    let bench = LoadBench(cache: cache)
    #expect(try cachedValue(at: bench).result?.get() == Cached(value: 4, age: .seconds(3)))
    #expect((bench.states, bench.source.calls) == ([.unknown], 0))
    cache.hold(.write)
    bench.manager.set(6)
    let (after, other) = (cachedValue(at: bench), cachedValue(at: bench))
    #expect((after.result == nil, other.result == nil) == (true, true))
    cache.release(.write)
    bench.run()
    #expect(try after.result?.get()?.value == 6)
    #expect(try other.result?.get()?.value == 6)
    cache.hold(.read)
    let before = cachedValue(at: bench)
    bench.logout()
    let last = cachedValue(at: bench)
    cache.release(.read)
    bench.run()
    #expect(try before.result?.get() == .some(nil))
    #expect(try last.result?.get() == .some(nil))
  }

  @Test("a read of the cached value takes no load's place, and no load takes its")
  func required_5_10_cachedValueAndLoad() throws {
    let cache = ProbeCache(4)
    let bench = LoadBench(cache: cache)
    cache.hold(.read)
    let first = cachedValue(at: bench)
    bench.refresh()
    let second = cachedValue(at: bench)
    bench.refresh(restarting: true)
    cache.release(.read)
    bench.run()
    #expect(try first.result?.get()?.value == 4)
    #expect(try second.result?.get()?.value == 4)
    // That of the first load was obsolete.
    #expect((cache.operations, bench.publisher.state) == ([.read, .read, .read], .loading(previous: 4)))
  }

  @Test("a cache that can't be read is an error of the call; a cancelled caller returns at once")
  func required_5_10_5_12_cachedValueFails() {
    let (cache, failures) = (ProbeCache(4), Locked(0))
    let bench = LoadBench(timeout: .seconds(5), cache: cache) { options in
      options.cacheFailed = { _ in failures.withLock { $0 += 1 } }
    }
    cache.refuse(.read)
    let failed = cachedValue(at: bench)
    #expect(throws: CacheFailure.self) { try failed.result?.get() }
    #expect((failures.withLock { $0 }, bench.publisher.state) == (1, .unknown))
    cache.hold(.read)
    let (cancelled, late) = (cachedValue(at: bench), cachedValue(at: bench))
    bench.cancel(cancelled)
    #expect(throws: CancellationError.self) { try cancelled.result?.get() }
    bench.pass(.seconds(5))
    #expect(throws: LoadTimedOut.self) { try late.result?.get() }
    cache.release(.read)
    bench.run()
  }

  @Test("a cancelled task gets no cached value, whether or not there is a cache", arguments: [false, true])
  func required_5_10_cachedValueCancelled(hasCache: Bool) {
    let cache = ProbeCache(4)
    let bench = hasCache ? LoadBench(cache: cache) : LoadBench()
    let call = bench.call { [manager = bench.manager] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do { _ = try await manager.cachedValue() } catch { return error is CancellationError }
      return false
    }
    #expect(call.result == true)
    #expect(cache.operations == [])
  }

  @Test("a read that nobody waits for any longer isn't made")
  func required_5_10_cachedValueGivenUp() {
    let cache = ProbeCache(4)
    let bench = LoadBench(timeout: .seconds(5), cache: cache)
    cache.hold(.read)
    let calls = (0..<100).map { _ in cachedValue(at: bench) }
    bench.cancel(calls[99])
    bench.pass(.seconds(5))
    for call in calls { #expect(throws: (any Error).self) { try call.result?.get() } }
    cache.release(.read)
    bench.run()
    #expect(cache.operations == [.read])
  }
}
