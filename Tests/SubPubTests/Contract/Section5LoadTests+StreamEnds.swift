import SubPub
import SubPubTesting
import Testing

// Rule 5.21: errors, retries, the end of the sequence, and transitions by hand.
extension Section5LoadTests {
  @Test("an error is an error state with the previous data, and ends the run without a retry")
  func required_5_21_error() throws {
    let bench = StreamBench()
    let atTheError = Locked<Bool?>(nil)
    let log = bench.listen()
    var object: Deaths.Token? = Deaths().makeToken()
    bench.publisher.subscribe(try #require(object), on: .immediate) { [weak bench] _, state in
      if state.phase == .error { atTheError.withLock { $0 = bench?.isRunning } }
    }
    bench.send(1)
    bench.fail()
    #expect(log.states == [.unknown, .loading(previous: nil), .loaded(1), .error(Failure.offline, previous: 1)])
    // One step: whoever sees the last error finds the run ended.
    #expect((atTheError.withLock { $0 }, bench.publisher.current.origin) == (false, .loaded))
    bench.pass(.seconds(1_000))
    #expect(bench.calls == 1)
    // It begins anew with the next first listener, and not with another one.
    let other = bench.listen()
    #expect(bench.calls == 1)
    bench.leave(log)
    bench.leave(other)
    #expect(object != nil, "the closure's object is still listening")
    object = nil
    let next = bench.listen()
    #expect(bench.calls == 2)
    #expect(next.states == [.error(Failure.offline, previous: 1), .loading(previous: 1)])
  }

  @Test("after an error the policy's delay passes on the clock, and loading begins the next attempt")
  func required_5_21_retries() {
    let asked = Locked<[String]>([])
    let bench = StreamBench(
      retry: RetryPolicy(maxAttempts: 4) { failures, error in
        asked.withLock { $0.append("\(failures) \(error)") }
        return .seconds(failures * 10)
      })
    let log = bench.listen()
    bench.send(1)
    for attempt in 1...3 {
      bench.fail(attempt == 2 ? Failure.denied : Failure.offline)
      #expect((log.states.last?.phase, bench.isRunning) == (.error, true))
      bench.pass(.seconds(attempt * 10) - .nanoseconds(1))
      #expect(bench.calls == attempt)
      bench.pass(.nanoseconds(1))
      #expect((bench.calls, log.states.last) == (attempt + 1, .loading(previous: 1)))
    }
    #expect(asked.withLock { $0 } == ["1 offline", "2 denied", "3 offline"])
    bench.fail(Failure.denied)
    #expect((log.states.last, bench.isRunning) == (.error(Failure.denied, previous: 1), false))
    bench.pass(.seconds(1_000))
    #expect((bench.calls, log.states.filter { $0.phase == .error }.count) == (4, 4))
  }

  /// Does something when another subscription begins.
  private final class Meanwhile: Instrumentation {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }
    func subscribed(_ subscription: Subscription, to source: PublisherID) { body.withLock { $0.take() }?() }
  }

  /// Whether a task has learned that the stream has ended by itself.
  private func hasSeenEnd(_ caller: Caller<(any Error)?>) -> Bool {
    if case .some(.none) = caller.result { true } else { false }
  }

  @Test("whoever waits for the end is told of it, even if others have changed the state by then")
  func required_5_21_endMeanwhile() async throws {
    let meanwhile = Meanwhile()
    let bench = StreamBench { $0.instrumentation = meanwhile }
    let log = bench.listen()
    bench.send(1)
    meanwhile.set { [bench] in
      bench.end()
      bench.publisher.updateData(7)
    }
    // Not on the executor of the bench, which runs inside this task's call.
    let caller = Caller { [manager = bench.manager] () -> (any Error)? in
      do { try await manager?.waitForEnd() } catch { return error }
      return nil
    }
    try await caller.wait()
    #expect(hasSeenEnd(caller))
    #expect((log.states.last, bench.isRunning) == (.loaded(7), false))
    // A logout makes the end forgotten, so this waits for that of another run.
    bench.manager?.logout()
    let next = bench.waitForEnd()
    #expect((next.result == nil, bench.calls) == (true, 2))
    bench.end()
    #expect(hasSeenEnd(next))
  }

  @Test("in a transform, the stream is running when one's own subscribe has returned")
  func required_5_21_1_01_inTransform() {
    let meanwhile = Meanwhile()
    let bench = StreamBench { $0.instrumentation = meanwhile }
    let found = Locked<[Bool]>([])
    // The thread of the first listener is held up before its notice.
    meanwhile.set { [bench] in
      OwnThread.runBlocking {
        let listener = bench.publisher.observe(on: .immediate) { _ in }
        bench.publisher.update { state in
          found.withLock { $0.append(bench.isRunning) }
          return state
        }
        withExtendedLifetime(listener) {}
      }
    }
    let log = bench.listen()
    #expect(found.withLock { $0 } == [true])
    withExtendedLifetime(log) {}
  }

  @Test("a run whose notice is on its way has begun, so a restart begins another one")
  func required_5_21_restartMeanwhile() {
    let meanwhile = Meanwhile()
    let bench = StreamBench { $0.instrumentation = meanwhile }
    // The thread of the first listener is held up before its notice.
    meanwhile.set { [bench] in _ = bench.refresh(restarting: true) }
    let log = bench.listen()
    #expect(log.states == [.unknown, .loading(previous: nil), .loading(previous: nil)])
    // The caller's task holds the bench as long as it waits.
    bench.end()
  }

  @Test("a task that is cancelled before it refreshes begins nothing, and restarts nothing", arguments: [false, true])
  func required_5_21_refreshCancelled(restarting: Bool) async {
    let bench = StreamBench()
    func refresh() async -> LoadState<Int>? {
      let task = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return await bench.manager?.refresh(restarting: restarting)
      }
      return await task.value
    }
    #expect(await refresh() == .unknown)
    #expect((bench.publisher.current.version, bench.isRunning) == (0, false))
    let listener = bench.listen()
    #expect(await refresh() == .loading(previous: nil))
    #expect((bench.publisher.current.version, bench.isRunning) == (1, true))
    bench.leave(listener)
  }

  @Test("an element starts the count of failures anew")
  func required_5_21_failuresReset() {
    let asked = Locked<[Int]>([])
    let bench = StreamBench(
      retry: RetryPolicy(maxAttempts: 3) { failures, _ in
        asked.withLock { $0.append(failures) }
        return .zero
      })
    let log = bench.listen()
    for round in 1...5 {
      bench.fail()
      bench.fail()
      #expect(bench.send(round) == .loaded(round))
    }
    #expect(asked.withLock { $0 } == Array(repeating: [1, 2], count: 5).flatMap(\.self))
    #expect(log.states.compactMap(\.value).last == 5)
    for _ in 0..<3 { bench.fail() }
    #expect((bench.isRunning, bench.calls) == (false, 13))
  }

  @Test("an error of the closure that makes the stream counts like one of the stream")
  func required_5_21_failsToOpen() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(1) })
    bench.source.failToOpen(Failure.denied, CancellationError())
    let log = bench.listen()
    bench.pass(.seconds(1))
    bench.pass(.seconds(1))
    bench.send(7)
    #expect(
      log.states == [
        .unknown, .loading(previous: nil), .error(Failure.denied, previous: nil), .loading(previous: nil),
        .error(CancellationError(), previous: nil), .loading(previous: nil), .loaded(7),
      ])
  }

  @Test("a clock that fails during a delay leaves the error and ends the run")
  func required_5_21_brokenClock() {
    let bench = StreamBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(1) }, clock: BrokenClock())
    let log = bench.listen()
    bench.fail()
    #expect(!bench.isRunning)
    #expect(log.states == [.unknown, .loading(previous: nil), .error(Failure.offline, previous: nil)])
    #expect(bench.calls == 1)
  }

  @Test("at the end of the sequence the last element stays, and the stream begins anew with a first listener")
  func required_5_21_naturalEnd() {
    let log = stream.listen()
    stream.send(1)
    stream.end()
    #expect((log.states, stream.isRunning) == ([.unknown, .loading(previous: nil), .loaded(1)], false))
    #expect(stream.source.last.isOver)
    let second = stream.listen()
    #expect((stream.calls, second.states) == (1, [.loaded(1)]))
    stream.refreshIfNeeded()
    #expect((stream.calls, second.states) == (2, [.loaded(1), .loading(previous: 1)]))
  }

  /// Transitions by hand.
  enum ByHand: String, CaseIterable, Codable, Sendable {
    case updateData, setError, startLoading, reset, update, logout

    func perform(at bench: StreamBench) {
      switch self {
      case .updateData: bench.publisher.updateData(50)
      case .setError: bench.publisher.setError(Failure.denied)
      case .startLoading: bench.publisher.startLoading()
      case .reset: bench.publisher.reset()
      case .update: bench.publisher.update { $0 }
      case .logout: bench.manager?.logout()
      }
    }
  }

  @Test("a transition by hand ends the run, which begins again on demand", arguments: ByHand.allCases)
  func required_5_21_5_04_byHand(how: ByHand) {
    let bench = StreamBench(isStubborn: true)
    let log = bench.listen()
    bench.send(1)
    how.perform(at: bench)
    #expect(!bench.isRunning)
    #expect(bench.source.last.isCancelled)
    let current = bench.publisher.current
    // A late element of a sequence that ignores its cancellation.
    bench.send(2)
    bench.run()
    #expect(bench.publisher.current === current)
    #expect(bench.source.last.isOver)
    let other = bench.listen()
    #expect(bench.calls == 1)
    bench.refreshIfNeeded()
    #expect(bench.calls == 2)
    bench.send(3)
    #expect((log.states.last, other.states.last) == (.loaded(3), .loaded(3)))
  }
}
