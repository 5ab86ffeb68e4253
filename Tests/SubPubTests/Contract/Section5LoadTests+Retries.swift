import SubPub
import SubPubTesting
import Testing

// Rule 5.07.
extension Section5LoadTests {
  @Test("attempts follow each other exactly after the policy's delays on the manager's clock")
  func required_5_07_times() {
    let asked = Locked<[String]>([])
    let bench = LoadBench(
      retry: RetryPolicy(maxAttempts: 4) { attempt, error in
        asked.withLock { $0.append("\(attempt) \(error)") }
        return .seconds(attempt * 10)
      })
    let caller = bench.refresh()
    for attempt in 1...3 {
      bench.fail(attempt - 1, attempt == 2 ? Failure.denied : Failure.offline)
      #expect(caller.result == nil)
      bench.pass(.seconds(attempt * 10) - .nanoseconds(1))
      #expect(bench.source.calls == attempt)
      bench.pass(.nanoseconds(1))
      #expect(bench.source.calls == attempt + 1)
    }
    #expect(asked.withLock { $0 } == ["1 offline", "2 denied", "3 offline"])
    bench.answer(3, 7)
    #expect(caller.result == .loaded(7))
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(7)])
    #expect(bench.clock.sleepers == 0)
  }

  @Test("every failure is reported with its number, and only the last is published", arguments: [1, 2, 5])
  func required_5_07_lastFailure(attempts: Int) {
    let failed = Locked<[Int]>([])
    let bench = LoadBench(
      retry: RetryPolicy(maxAttempts: attempts) { _, _ in .seconds(1) },
      options: { $0.attemptFailed = { attempt, _ in failed.withLock { $0.append(attempt) } } })
    let caller = bench.refresh()
    for call in 0..<attempts {
      bench.fail(call, call == attempts - 1 ? Failure.denied : Failure.offline)
      bench.pass(.seconds(1))
    }
    bench.pass(.seconds(1_000))
    #expect((bench.source.calls, caller.result) == (attempts, .error(Failure.denied, previous: nil)))
    #expect(bench.states == [.unknown, .loading(previous: nil), .error(Failure.denied, previous: nil)])
    #expect((failed.withLock { $0 }, RetryPolicy.never.maxAttempts) == (Array(1...attempts), 1))
  }

  @Test("a policy that returns nil ends the load, and the next load counts from 1 again")
  func required_5_07_givesUp() {
    let asked = Locked<[Int]>([])
    let bench = LoadBench(
      retry: RetryPolicy(maxAttempts: 10) { attempt, error in
        asked.withLock { $0.append(attempt) }
        return error as? Failure == .denied ? nil : .zero
      })
    for first in [0, 3] {
      let caller = bench.refresh()
      bench.fail(first)
      bench.fail(first + 1)
      bench.fail(first + 2, Failure.denied)
      #expect((caller.result, bench.source.calls) == (.error(Failure.denied, previous: nil), first + 3))
    }
    #expect(asked.withLock { $0 } == [1, 2, 3, 1, 2, 3])
    // A delay of zero doesn't sleep.
    #expect(bench.clock.sleepers == 0)
  }

  @Test("a CancellationError of a loader that isn't cancelled is an ordinary failure")
  func required_5_07_cancellationError() {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(1) })
    let caller = bench.refresh()
    bench.fail(0, CancellationError())
    #expect(bench.clock.sleepers == 1)
    bench.pass(.seconds(1))
    bench.fail(1, CancellationError())
    #expect(caller.result == .error(CancellationError(), previous: nil))
    #expect(bench.publisher.state == .error(CancellationError(), previous: nil))
  }

  @Test("a clock that fails ends a load that has to wait for a retry or has a timeout")
  func required_5_07_brokenClock() {
    let retried = LoadBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(1) }, clock: BrokenClock())
    let caller = retried.refresh()
    retried.fail(0)
    #expect((caller.result, retried.source.calls) == (.error(Failure.offline, previous: nil), 1))

    let timed = LoadBench(timeout: .seconds(10), isStubborn: true, clock: BrokenClock())
    #expect(timed.refresh().result?.error is BrokenClock.Broken)
    #expect(timed.publisher.state.phase == .error)
  }

  @Test("the timeout ends a load even if the loader ignores its cancellation", arguments: [true, false])
  func required_5_07_timeout(isStubborn: Bool) {
    let bench = LoadBench(timeout: .seconds(10), isStubborn: isStubborn)
    bench.publisher.updateData(1)
    let caller = bench.refresh()
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect((bench.source.cancelled, caller.result) == ([], nil))
    bench.pass(.nanoseconds(1))
    #expect(bench.source.cancelled == [0])
    #expect(caller.result == .error(LoadTimedOut(timeout: .seconds(10)), previous: 1))
    let current = bench.publisher.current
    bench.answer(0, 7)
    #expect(bench.publisher.current === current)
    #expect(bench.clock.sleepers == 0)
  }

  @Test("each attempt has the whole timeout, and a late result of one doesn't count for the next")
  func required_5_07_timeoutAndRetry() {
    let failures = Locked<[String]>([])
    let bench = LoadBench(
      timeout: .seconds(10),
      retry: RetryPolicy(maxAttempts: 3) { _, error in
        failures.withLock { $0.append("\(error)") }
        return .seconds(5)
      }, isStubborn: true)
    let caller = bench.refresh()
    bench.pass(.seconds(10))
    #expect(bench.source.cancelled == [0])
    bench.pass(.seconds(5))
    #expect(bench.source.calls == 2)
    bench.answer(0, 50)
    #expect(caller.result == nil)
    bench.pass(.seconds(10) - .nanoseconds(1))
    #expect(bench.source.cancelled == [0])
    bench.pass(.nanoseconds(1))
    bench.pass(.seconds(5))
    #expect(bench.source.calls == 3)
    bench.answer(1, 51)
    #expect(caller.result == nil)
    bench.answer(2, 7)
    #expect(caller.result == .loaded(7))
    #expect(bench.states == [.unknown, .loading(previous: nil), .loaded(7)])
    #expect(failures.withLock { $0 } == Array(repeating: "the load took longer than 10.0 seconds", count: 2))
  }

  @Test("a load that ends in time leaves no sleeper behind", arguments: [true, false])
  func required_5_07_inTime(succeeds: Bool) {
    let bench = LoadBench(timeout: .seconds(10))
    let caller = bench.refresh()
    #expect(bench.clock.sleepers == 1)
    bench.pass(.seconds(9))
    if succeeds { bench.answer(0, 7) } else { bench.fail(0) }
    #expect((caller.result?.phase, bench.clock.sleepers) == ((succeeds ? .loaded : .error), 0))
    // Neither does a cancelled one.
    let second = bench.refresh()
    bench.publisher.republish()
    bench.cancel(second)
    #expect(bench.clock.sleepers == 0)
  }

  @Test("a timeout or delay of over a century never ends", arguments: [100 * 365 * 86_400, Int64.max] as [Int64])
  func required_5_07_noLimit(seconds: Int64) {
    // On the system's clock, which can't count that far. The timeout's task runs before the answer.
    let slow = LoadBench(timeout: .seconds(seconds), clock: ContinuousClock())
    let answered = slow.refresh()
    slow.answer(0, 1)
    #expect(answered.result == .loaded(1))
    let bench = LoadBench(
      retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(seconds) }, clock: ContinuousClock())
    let caller = bench.refresh()
    #expect(bench.fail(0) == .loading(previous: nil))
    bench.cancel(caller)
    #expect((caller.result, bench.source.calls) == (.unknown, 1))
  }
}
