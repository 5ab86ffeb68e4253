import SubPub
import SubPubTesting
import Testing

// Rule 5.21: what a stream begins with, how old its data is (5.06), and its cache (5.10 and 5.12).
extension Section5LoadTests {
  @Test("an element is fresh until no other has come for staleAfter, however old the ones before are")
  func required_5_21_5_06_ages() {
    let bench = StreamBench { $0.staleAfter = .seconds(60) }
    let log = bench.listen()
    let publisher = bench.publisher
    for element in 1...3 {
      bench.send(element)
      bench.pass(.seconds(59))
      #expect((publisher.isStale, publisher.age(of: publisher.current)) == (false, .seconds(59)))
    }
    bench.pass(.seconds(1))
    #expect(publisher.isStale)
    // Becoming stale publishes nothing, and doesn't end the run; an error doesn't make the data fresh.
    #expect((log.states.count, bench.isRunning) == (5, true))
    bench.fail()
    #expect((publisher.isStale, publisher.state) == (true, .error(Failure.offline, previous: 3)))
    bench.refreshIfNeeded()
    bench.send(4)
    #expect((publisher.isStale, publisher.age(of: publisher.current)) == (false, .zero))
  }

  @Test("invalidated data is stale until the next element, and publishes nothing")
  func required_5_21_5_15_invalidate() {
    let bench = StreamBench { $0.staleAfter = .seconds(60) }
    let log = bench.listen()
    bench.send(1)
    bench.manager?.invalidate()
    #expect((bench.publisher.isStale, log.states.last, bench.isRunning) == (true, .loaded(1), true))
    bench.fail()
    #expect(bench.publisher.isStale)
    bench.refreshIfNeeded()
    bench.send(2)
    #expect(!bench.publisher.isStale)
  }

  @Test("the value to begin with is version 1, counts as new, and is the previous data of the first run")
  func required_5_21_5_06_initial() {
    let cache = ProbeCache(9)
    let bench = StreamBench { options in
      (options.initial, options.staleAfter, options.cache) = (5, .seconds(60), cache)
    }
    #expect((bench.publisher.current.version, bench.publisher.current.origin) == (1, .published))
    bench.pass(.seconds(60))
    #expect(bench.publisher.isStale)
    let log = bench.listen()
    bench.send(6)
    #expect(log.states == [.loaded(5), .loading(previous: 5), .loaded(6)])
    #expect(cache.operations == [.write], "the cache is read only if there is no data")
  }

  @Test("the cached value shows before the first element, with its age, and elements are written to the cache")
  func required_5_21_5_06_5_10_cache() {
    let cache = ProbeCache(9, age: .seconds(50))
    let bench = StreamBench { ($0.cache, $0.staleAfter) = (cache, .seconds(60)) }
    cache.hold(.read)
    let log = bench.listen()
    #expect((bench.calls, bench.publisher.state) == (0, .loading(previous: nil)))
    cache.release(.read)
    bench.run()
    #expect(log.states == [.unknown, .loading(previous: nil), .loaded(9), .loading(previous: 9)])
    #expect(log.publications.suffix(2).allSatisfy { $0.origin == .cached })
    #expect(bench.calls == 1)
    bench.pass(.seconds(9))
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    cache.hold(.write)
    bench.send(1)
    bench.send(2)
    bench.pass(.seconds(5))
    bench.send(3)
    bench.pass(.seconds(7))
    cache.release(.write)
    bench.run()
    // The second has never been written, and the third with its age.
    #expect((cache.content, cache.age, cache.operations) == (3, .seconds(7), [.read, .write, .write]))
    #expect((bench.publisher.current.origin, cache.isOneAtATime) == (.loaded, true))
    let next = StreamBench { $0.cache = cache }
    let later = next.listen()
    #expect(later.states.suffix(2) == [.loaded(3), .loading(previous: 3)])
  }

  @Test("a cached value that mustn't count as fresh is stale even if nothing else becomes stale")
  func required_5_21_5_06_outdated() {
    let bench = StreamBench { $0.cache = ProbeCache(9, age: .seconds(200 * 365 * 86_400)) }
    let log = bench.listen()
    #expect(log.states.last == .loading(previous: 9))
    #expect(bench.publisher.isStale)
    bench.send(1)
    #expect(!bench.publisher.isStale)
    let other = StreamBench { $0.cache = ProbeCache(9, age: .seconds(86_400)) }
    _ = other.listen()
    #expect((other.publisher.state, other.publisher.isStale) == (.loading(previous: 9), false))
  }

  @Test("a run that ends before its first element leaves the cached value, and a cached value answers no refresh")
  func required_5_21_5_11_cachedOnly() {
    let bench = StreamBench { $0.cache = ProbeCache(9) }
    let caller = bench.refresh()
    #expect((caller.result, bench.publisher.state) == (nil, .loading(previous: 9)))
    bench.end()
    #expect((caller.result, bench.publisher.current.origin) == (.loaded(9), .cached))
    // And the next run doesn't read it again.
    let second = bench.refresh()
    bench.send(1)
    #expect(second.result == .loaded(1))
  }

  @Test("a logout ends the run and clears the cache, also of what is being written", arguments: [true, false])
  func required_5_21_5_10_logout(isRunning: Bool) {
    let cache = ProbeCache()
    let bench = StreamBench { $0.cache = cache }
    let log = bench.listen()
    bench.send(1)
    cache.hold(.write)
    bench.send(2)
    if !isRunning { bench.end() }
    bench.manager?.logout()
    #expect((bench.isRunning, bench.publisher.state) == (false, .unknown))
    cache.release(.write)
    bench.run()
    #expect((cache.content, cache.operations) == (nil, [.read, .write, .write, .clear]))
    bench.refreshIfNeeded()
    #expect(log.states.last == .loading(previous: nil))
  }

  @Test("a cache that can't be read or written is reported, and the stream goes on", arguments: [true, false])
  func required_5_21_5_12_failures(isHeld: Bool) {
    let (cache, failures) = (ProbeCache(9), Locked<[CacheFailure.Operation]>([]))
    let bench = StreamBench(elementTimeout: .seconds(5)) { options in
      options.cache = cache
      options.cacheFailed = { failure in failures.withLock { $0.append(failure.operation) } }
    }
    if isHeld { cache.hold(.read) } else { cache.refuse(.read, .write) }
    let log = bench.listen()
    #expect(bench.calls == (isHeld ? 0 : 1))
    if isHeld { bench.pass(.seconds(5)) }
    #expect(failures.withLock { $0 } == [.read])
    bench.send(1)
    #expect(log.states.last == .loaded(1))
    cache.release(.read)
    bench.run()
    #expect((log.states.last, failures.withLock { $0 }) == (.loaded(1), isHeld ? [.read] : [.read, .write]))
  }
}
