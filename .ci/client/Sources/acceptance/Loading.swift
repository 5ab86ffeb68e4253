import SubPub
import SubPubTesting
import Synchronization

private struct Unreachable: Error, Equatable {}

func loadingManagers() async {
  let clock = ManualClock()
  let calls = Calls()
  let manager = LoadingManager<Int>(
    label: "answer", staleAfter: .seconds(60), timeout: .seconds(10), retry: .never, clock: clock,
    cache: nil
  ) {
    calls.next()
  }
  let publisher: Publisher<Int> = manager.publisher
  expectEqual(publisher.label, "answer", "the publisher has the label")
  expectEqual(publisher.staleAfter, .seconds(60), "and the limit")
  expectEqual(await manager.refresh(), .loaded(1), "what a refresh came to")
  expectEqual(await manager.refresh(restarting: true), .loaded(2), "a restarted refresh")

  manager.refreshIfNeeded()
  expectEqual(calls.count, 2, "fresh data isn't loaded again")
  clock.advance(by: .seconds(60))
  expect(publisher.isStale, "a minute later it is stale")
  expectEqual(publisher.age(of: publisher.current), .seconds(60), "and a minute old")
  manager.refreshIfNeeded()
  do {
    expectEqual(try await publisher.value(), 3, "stale data is loaded again")
  } catch {
    fail("a loader that doesn't throw: \(error)")
  }

  manager.start(with: ())
  manager.logout()
  expectEqual(publisher.state, .unknown, "after a logout")
  passed("LoadingManager")
}

func edits() async {
  let manager = LoadingManager<[Int]>(initial: [0]) { [] }
  let seen = Journal<[Int]>()
  let observation = manager.publisher.observe(on: .immediate) { publication in
    seen.add(publication.state.value.map { publication.origin == .edited ? $0 : $0.reversed() } ?? [])
  }
  do {
    expectEqual(try await manager.mutate(showing: { $0 + [1] }, send: { [7, 8] }), [7, 8], "the server's answer")
    try await manager.mutate(
      showing: { $0 + [2] },
      sendOnly: {
        let sent = [2]
        if sent.isEmpty { throw Unreachable() }
      })
  } catch {
    fail("a server that accepts: \(error)")
  }
  do {
    try await manager.mutate(showing: { $0 + [3] }, sendOnly: { throw Unreachable() })
    fail("a server that refuses")
  } catch {
    expectEqual(error as? Unreachable, Unreachable(), "the server's error")
  }
  expectEqual(manager.publisher.state, .loaded([7, 8, 2]), "the edit that was refused is taken back")
  expectEqual(
    seen.entries, [[0], [0, 1], [8, 7], [7, 8, 2], [2, 8, 7], [7, 8, 2, 3], [2, 8, 7]], "edits are shown at once")
  observation.cancel()
  passed("edits")
}

func retries() async throws {
  let clock = ManualClock()
  let policy = RetryPolicy(maxAttempts: 3) { attempt, error in
    expect(error is Unreachable, "the policy gets the loader's error")
    return .seconds(attempt)
  }
  expectEqual(policy.maxAttempts, 3, "the attempts")
  let calls = Calls()
  let manager = LoadingManager<Int>(retry: policy, clock: clock) {
    if calls.next() < 3 { throw Unreachable() }
    return 7
  }
  manager.refreshIfNeeded()
  try await clock.waitForSleepers(1)
  clock.advance(by: .seconds(1))
  try await clock.waitForSleepers(1)
  expectEqual(manager.publisher.state, .loading(previous: nil), "failures on the way aren't published")
  clock.advance(by: .seconds(2))
  expectEqual(try? await manager.publisher.value(), 7, "the third attempt succeeds")

  let failing = LoadingManager<Int>(
    retry: .exponential(
      maxAttempts: 2, initial: .zero, factor: 2, maximum: .seconds(1), jitter: 0.5)
  ) {
    throw Unreachable()
  }
  expect(await failing.refresh().error is Unreachable, "the last failure is published")

  let hanging = LoadingManager<Int>(timeout: .seconds(1), clock: clock) {
    try await ManualClock().sleep(for: .seconds(1))
    return 0
  }
  hanging.refreshIfNeeded()
  try await clock.waitForSleepers(1)
  clock.advance(by: .seconds(1))
  do {
    _ = try await hanging.publisher.value()
    fail("a loader that hangs came to something")
  } catch {
    expectEqual(error as? LoadTimedOut, LoadTimedOut(timeout: .seconds(1)), "a loader that hangs")
  }
  passed("RetryPolicy")
}

func pagedManagers() async {
  let manager = PagedManager<String, Int>(label: "list", firstPage: 1) { page in
    (elements: ["\(page)a", "\(page)b"], next: page < 3 ? page + 1 : nil)
  }
  let first = await manager.refresh()
  expectEqual(first.value, Paged(elements: ["1a", "1b"], next: 2), "the first page")
  expectEqual(first.value?.isComplete, false, "is not all")
  await manager.loadNextPage()
  let last = await manager.loadNextPage()
  expectEqual(last.value?.elements, ["1a", "1b", "2a", "2b", "3a", "3b"], "all pages, in order")
  expectEqual(last.value?.isComplete, true, "are all")
  let version = manager.publisher.current.version
  await manager.loadNextPage()
  expectEqual(manager.publisher.current.version, version, "there is no more to load")
  expectEqual(await manager.refresh(restarting: true).value?.elements, ["1a", "1b"], "a refresh starts over")
  manager.refreshIfNeeded()
  manager.logout()
  expectEqual(manager.publisher.state.phase, .unknown, "after a logout")
  passed("PagedManager")
}

func cachedManagers() async throws {
  let clock = ManualClock()
  let cache = OneValue()
  let gate = Gate()
  let failures = Calls()
  do {
    let manager = LoadingManager<Int>(
      clock: clock, cache: cache, cacheFailed: { _ in failures.next() }, load: { 1 })
    await manager.refresh()
    await manager.waitForCache()
  }
  expectEqual(cache.value, 1, "what was loaded is written")
  let manager = LoadingManager<Int>(staleAfter: .seconds(5), clock: clock, cache: cache) {
    await withTaskExecutorPreference(QueueExecutor(label: "held")) { gate.pass() }
    return 2
  }
  let recorder = Recorder<Int>()
  manager.publisher.subscribe(recorder, on: .immediate)
  manager.refreshIfNeeded()
  try await gate.waitUntilHeld()
  expectEqual(
    recorder.states, [.unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1)],
    "a cached value shows before the load has ended")
  expectEqual(manager.publisher.age(of: manager.publisher.current), .seconds(9), "with its age")
  gate.open()
  expectEqual(await manager.refresh(), .loaded(2), "then the loaded one")
  manager.logout()
  await manager.waitForCache()
  expectEqual(cache.value, nil, "a logout clears the cache")
  expectEqual(failures.count, 0, "nothing has failed")
  expectEqual(
    "\(CacheFailure(operation: .write, reason: Unreachable()))".contains("write"), true, "a failure says what failed")
  passed("StateCache")
}

nonisolated private final class Calls: Sendable {
  private let calls = Atomic(0)
  var count: Int { calls.load(ordering: .relaxed) }
  @discardableResult func next() -> Int { calls.add(1, ordering: .relaxed).newValue }
}

nonisolated private final class OneValue: StateCache {
  private let kept = Mutex<Int?>(nil)
  var value: Int? { kept.withLock { $0 } }
  func read() async throws -> Cached<Int>? { value.map { Cached(value: $0, age: .seconds(9)) } }
  func write(_ value: Int) async throws { kept.withLock { $0 = value } }
  func clear() async throws { kept.withLock { $0 = nil } }
}
