import SubPub
import SubPubTesting
import Synchronization
import Testing

extension ClientTests {
  @Suite("Managers load, and publish what they have loaded")
  struct ManagerTests {
    let clock = ManualClock()
    let calls = Journal<Int>()

    @Test("a loading manager loads what is unknown or stale, or what it is asked for")
    func loading() async throws {
      let manager = LoadingManager<Int>(
        label: "answer", staleAfter: .seconds(60), staleJitter: 0, errorStaleAfter: .zero, timeout: .seconds(10),
        retry: .never,
        clock: clock, cache: nil
      ) { [calls] in
        calls.add(0)
        return calls.entries.count
      }
      let publisher: Publisher<Int> = manager.publisher
      #expect((publisher.label, publisher.staleAfter) == ("answer", .seconds(60)))
      #expect(manager.description.hasPrefix("LoadingManager of Publisher<Int>(answer"))
      #expect(await manager.refresh() == .loaded(1))
      #expect(await manager.refresh(restarting: true) == .loaded(2))
      #expect(publisher.current.origin == .loaded)
      manager.refreshIfNeeded()
      #expect(try await manager.value() == 2, "fresh data isn't loaded again")
      clock.advance(by: .seconds(60))
      #expect(publisher.isStale)
      manager.refreshIfNeeded()
      #expect(try await publisher.value() == 3)
      #expect(try await manager.value(maxAge: .zero) == 4)
      manager.invalidate()
      #expect(publisher.isStale)
      manager.set(9)
      #expect(publisher.state == .loaded(9))
      manager.cancel()  // nothing is loading
      manager.logout()
      #expect(publisher.state == .unknown)
    }

    @Test("a manager refreshes in intervals, gives its loader the data, and may do so quietly")
    func polling() async throws {
      let options = LoadingOptions<Int>(clock: clock, refreshes: .quiet, isUnchanged: { $0 == $1 })
      let manager = LoadingManager(options) { previous in (previous ?? 0) + 1 }
      let recorder = Recorder<Int>()
      manager.publisher.subscribe(recorder, on: .immediate)
      let polling = Task { [manager] in await manager.refresh(every: .seconds(5)) { $0.value != 2 } }
      for _ in 1...2 {
        try await clock.waitForSleepers(1, within: patience)
        clock.advance(by: .seconds(5))
      }
      await polling.value  // the condition has failed
      #expect(recorder.states == [.unknown, .loading(previous: nil), .loaded(1), .loaded(2)])
      // A pause that depends on the state; nil ends the poll.
      await manager.refresh { $0.value == 3 ? nil : .seconds(1) }
      await manager.refresh(every: { _ in nil }, pausingWithoutListeners: true, endingAtLogout: false)
      #expect(manager.publisher.state == .loaded(4))
      let ending = Task { [manager] in
        await manager.refresh(every: .seconds(5), pausingWithoutListeners: true, endingAtLogout: true)
      }
      try await clock.waitForSleepers(1, within: patience)
      manager.logout()
      await ending.value
      #expect(Set<RefreshVisibility>([.quiet, .visible]).count == 2)
    }

    @Test("an edit shows at once, and is taken back if the server refuses it")
    func edits() async throws {
      let manager = LoadingManager<[Int]>(initial: [0]) { [] }
      let seen = Journal<[Int]?>()
      let observation = manager.publisher.observe(on: .immediate) { publication in
        if publication.origin == .edited { seen.add(publication.state.value) }
      }
      #expect(try await manager.mutate(showing: { $0 + [1] }, send: { [7, 8] }) == [7, 8])
      try await manager.mutate(showing: { $0 + [2] }, sendOnly: {})
      await #expect(throws: Failure.denied) {
        try await manager.mutate(showing: { $0 + [3] }, sendOnly: { throw Failure.denied })
      }
      #expect(manager.publisher.state == .loaded([7, 8, 2]))
      #expect(seen.entries == [[0, 1], [7, 8, 2], [7, 8, 2, 3]])
      observation.cancel()
      let created = try await manager.mutate(showing: { $0 + [0] }, send: { "9" }, merging: { $0 + [$1.count] })
      #expect(created == "9")
      #expect(manager.publisher.state == .loaded([7, 8, 2, 1]))
    }

    @Test("edits are sent one at a time if the options say so, and dropped ones aren't sent")
    func order() async throws {
      let (sent, gate) = (Journal<Int>(), AsyncGate())
      let manager = LoadingManager<[Int]>(LoadingOptions(initial: [], sends: SendOrder.oneAtATime)) { [] }
      let first = Task {
        try await manager.mutate(
          showing: { $0 + [1] },
          sendOnly: {
            sent.add(1)
            await gate.pass()
          })
      }
      try await gate.waitUntilHeld(within: patience)
      let second = Task { try await manager.mutate(showing: { $0 + [2] }, sendOnly: { sent.add(2) }) }
      for await state in manager.publisher.states() where state == .loaded([1, 2]) { break }
      manager.logout()
      let error = await #expect(throws: EditDropped.self) { try await second.value }
      #expect(error == EditDropped())
      #expect(error?.description == "the edit was dropped before it was sent")
      gate.open()
      try await first.value
      #expect(sent.entries == [1])
      #expect(Set<SendOrder>([.concurrent, .oneAtATime]).count == 2)
    }

    @Test("the cached value is read without a load")
    func cachedValue() async throws {
      let memory = MemoryCache(limit: 5, clock: clock)
      let manager = LoadingManager<Int>(clock: clock, cache: memory.cache(for: "number"), sends: .concurrent) {
        throw Failure.offline
      }
      #expect(try await manager.cachedValue() == nil)
      manager.set(3)
      let cached: Cached<Int>? = try await manager.cachedValue()
      #expect(cached == Cached(value: 3, age: .zero))
    }

    @Test("a policy says when a failed load is tried again, and a time-out when it has failed")
    func retries() async throws {
      let failures = Journal<Int>()
      let policy = RetryPolicy(maxAttempts: 2) { attempt, error in error is LoadTimedOut ? .seconds(attempt) : nil }
      #expect(policy.maxAttempts == 2)
      let hanging = LoadingManager<Int>(
        timeout: .seconds(5), retry: policy, clock: clock, attemptFailed: { attempt, _ in failures.add(attempt) },
        load: {
          try await ManualClock().sleep(for: .seconds(1))
          return 0
        })
      hanging.refreshIfNeeded()
      for seconds in [5, 1, 5] {
        try await clock.waitForSleepers(1, within: patience)
        clock.advance(by: .seconds(seconds))
      }
      let error = await #expect(throws: LoadTimedOut.self) { try await hanging.publisher.value() }
      #expect(error == LoadTimedOut(timeout: .seconds(5)))
      #expect(error?.timeout == .seconds(5))
      #expect(error?.description == "the load took longer than 5.0 seconds")
      #expect(failures.entries == [1, 2])
      let failing = LoadingManager<Int>(
        retry: .exponential(maxAttempts: 2, initial: .zero, factor: 2, maximum: .seconds(1), jitter: 0.5)
      ) {
        throw Failure.offline
      }
      #expect(await failing.refresh() == .error(Failure.offline, previous: nil))
    }

    @Test("a paged manager loads one page after the other, and a refresh starts over")
    func pages() async throws {
      let manager = PagedManager<String, Int>(label: "list", clock: clock, firstPage: 1) { page in
        (elements: ["\(page)a", "\(page)b"], next: page < 2 ? page + 1 : nil)
      }
      let first = await manager.refresh()
      #expect(first.value == Paged(elements: ["1a", "1b"], next: 2))
      #expect((first.value?.next, first.value?.isComplete) == (2, false))
      let last = await manager.loadNextPage()
      #expect(last.value?.elements == ["1a", "1b", "2a", "2b"])
      #expect(last.value?.isComplete == true)
      #expect(await manager.refresh(restarting: true).value?.elements == ["1a", "1b"])
      manager.refreshIfNeeded()
      manager.invalidate()
      #expect(manager.publisher.isStale)
      #expect(try await manager.value(maxAge: nil).elements == ["1a", "1b"])
      await manager.refresh(every: .seconds(1)) { $0.value == nil }
      manager.cancel()
      #expect(manager.description.hasPrefix("PagedManager of Publisher"))
      try await manager.mutate(showing: { ["0"] + $0 }, sendOnly: {})
      #expect(try await manager.mutate(showing: { $0 }, send: { "3" }, merging: { $0 + [$1] }) == "3")
      #expect(manager.publisher.state == .loaded(Paged(elements: ["0", "1a", "1b", "3"], next: 2)))
      manager.set(Paged(elements: ["x"], next: 2))
      #expect(await manager.loadNextPage().value?.elements == ["x", "2a", "2b"])
      let short = PagedManager<Int, Int>(firstPage: 1, maxPages: 1) { (elements: [$0], next: $0 + 1) }
      await short.refresh()
      #expect(await short.loadNextPage() == .loaded(Paged(elements: [2], next: 3)))
      manager.logout()
      #expect(manager.publisher.state.phase == .unknown)
      await manager.waitForCache()
    }

    @Test("a stream manager follows a stream while somebody listens, and for a while after")
    func streams() async throws {
      let (numbers, sender) = AsyncThrowingStream<Int, any Error>.makeStream()
      let manager = StreamManager<Int>(label: "numbers", keepingAlive: .seconds(10), retry: .never, clock: clock) {
        numbers
      }
      let publisher: Publisher<Int> = manager.publisher
      manager.refreshIfNeeded()
      #expect(!manager.isRunning)
      let listener = publisher.observe(on: .background) { _ in }
      sender.yield(1)
      #expect(await manager.refresh() == .loaded(1))
      listener.cancel()
      try await clock.waitForSleepers(1, within: patience)
      #expect(manager.isRunning)
      manager.logout()
      #expect(!manager.isRunning)
      #expect(publisher.state == .unknown)
      #expect(manager.description.hasPrefix("StreamManager of Publisher<Int>(numbers"))
    }

    @Test("a stream has data to begin with, ages, a cache, a limit for each element, restarts, and an end")
    func streamData() async throws {
      let cache = MemoryCache(limit: 10, clock: clock).cache(for: "numbers", of: Int.self)
      let (calls, failures) = (calls, Journal<CacheFailure>())
      let manager = StreamManager<Int>(
        label: "numbers", keepingAlive: .zero, retry: .never, clock: clock, staleAfter: .seconds(60), initial: 7,
        cache: cache, elementTimeout: .seconds(5), cacheFailed: { failures.add($0) }, history: 0, instrumentation: nil
      ) {
        calls.add(0)
        return AsyncStream<Int> { numbers in
          numbers.yield(calls.entries.count)
          if calls.entries.count == 2 { numbers.finish() }
        }
      }
      #expect(manager.publisher.state == .loaded(7))
      clock.advance(by: .seconds(60))
      #expect(manager.publisher.isStale)
      let listener = manager.publisher.observe(on: .background) { _ in }
      #expect(await manager.refresh() == .loaded(1))
      #expect(!manager.publisher.isStale)
      #expect(await manager.refresh(restarting: true) == .loaded(2))
      try await manager.waitForEnd()
      #expect(!manager.isRunning)
      await manager.waitForCache()
      #expect(cache.read()?.value == 2)
      manager.refreshIfNeeded()
      #expect(await manager.refresh() == .loaded(3))
      let ending = Task { try await manager.waitForEnd() }
      try await clock.waitForSleepers(1, within: patience)
      clock.advance(by: .seconds(5))
      await #expect(throws: LoadTimedOut(timeout: .seconds(5))) { try await ending.value }
      manager.logout()
      await manager.waitForCache()
      #expect(cache.read() == nil)
      #expect(failures.entries.isEmpty)
      listener.cancel()
    }

    @Test("a stream manager publishes the error of a stream, whose type needn't be known")
    func erasedStreams() async {
      let (numbers, sender) = AsyncThrowingStream<Int, any Error>.makeStream()
      let erased: @Sendable () async throws -> any AsyncSequence<Int, any Error> & Sendable = { numbers }
      sender.finish(throwing: Failure.denied)
      #expect(await StreamManager(stream: erased).refresh() == .error(Failure.denied, previous: nil))
    }

    @Test("a family makes a manager for each key, and keeps it while somebody needs it")
    func families() async {
      let family = ManagerFamily<String, LoadingManager<Int>>(lingering: .zero, clock: clock) { key in
        LoadingManager { key.count }
      }
      do {
        let one = family["one"]
        #expect(family["one"] === one)
        #expect(family.existing("one") === one)
        #expect(family.keys == ["one"])
        family.refreshAllIfNeeded()
        #expect(await one.refresh() == .loaded(3))
        family.logoutAll()
        #expect(one.publisher.state == .unknown)
        #expect(family.description == "ManagerFamily<String, LoadingManager<Int>>(managers: 1)")
      }
      #expect(family.existing("one") == nil)
    }

    @Test("a family asks for many keys in one request, and invalidates some of them")
    func batches() async throws {
      let requests = Journal<Set<String>>()
      let load = batching(maximum: 2, within: .seconds(5), clock: clock) { (keys: Set<String>) in
        requests.add(keys)
        return Dictionary(uniqueKeysWithValues: keys.filter { $0 != "none" }.map { ($0, $0.count) })
      }
      let family = ManagerFamily(lingering: .seconds(60), clock: clock, maxConcurrentLoads: 8) { (key: String) in
        var options = LoadingOptions<Int>(label: key, staleAfter: .seconds(60))
        options.staleJitter = 0.2
        return LoadingManager(options) { try await load(key) }
      }
      async let three = family["three"].value()
      let none = Task { try await family["none"].value() }
      #expect(try await three == 5)
      let error = await #expect(throws: KeyMissing<String>.self) { try await none.value }
      #expect(error == KeyMissing(key: "none"))
      #expect((error?.key, error?.description) == ("none", "the answer has no value for the key none"))
      #expect(requests.entries == [["three", "none"]])
      let screen = family["three"].publisher.observe(on: .background) { _ in }
      let single = batching(maximum: 1, within: .zero) { (keys: Set<Int>) in [1: keys.count] }
      #expect(try await single(1) == 1)
      family.invalidate { $0.hasPrefix("th") }
      #expect(family["three"].publisher.state == .loading(previous: 5))
      family["three"].cancel()
      family.refreshAllIfNeeded(onlyListenedTo: true) { $0 == "four" }
      family.refreshAllIfNeeded(where: { $0 == "three" })
      #expect(family["three"].publisher.state == .loading(previous: 5))
      screen.cancel()
    }
  }
}
