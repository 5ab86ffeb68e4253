import SubPub
import SubPubTesting

/// A manager of numbers whose every step runs when the test says so, and on its thread. After a `run()` nothing else
/// happens by itself: so a test may say what has not happened.
final class LoadBench: Sendable {
  typealias State = LoadState<Int>

  let executor = ManualExecutor()
  let clock = ManualClock()
  let source: Source<Int>
  let manager: LoadingManager<Int>
  /// Everything that was published, the first state included.
  let log = Recorder<Int>()

  init(
    staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never, isStubborn: Bool = false,
    clock other: (any Clock<Duration>)? = nil, cache: (any StateCache<Int>)? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in }
  ) {
    let source = Source<Int>(isStubborn: isStubborn)
    self.source = source
    manager = LoadingManager(
      label: nil, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: other ?? clock, cache: cache,
      cacheFailed: cacheFailed, executor: executor
    ) { try await source.load() }
    manager.publisher.subscribe(log, on: .immediate)
  }

  var publisher: Publisher<Int> { manager.publisher }
  var states: [State] { log.states }

  /// Runs everything until it waits or has ended.
  func run() { executor.runAll() }

  /// A task that refreshes, until it waits or has ended.
  @discardableResult func refresh(force: Bool = false) -> Caller<State> {
    let caller = Caller(on: executor) { [manager] in await manager.refresh(force: force) }
    run()
    return caller
  }

  /// Answers a call of the loader, and runs what follows.
  func answer(_ call: Int, _ value: Int) {
    source.answer(call, .success(value))
    run()
  }

  func fail(_ call: Int, _ error: any Error = PublishingTests.Failure.offline) {
    source.answer(call, .failure(error))
    run()
  }

  func cancel(_ caller: Caller<State>) {
    caller.cancel()
    run()
  }

  /// Has the time pass, and runs what follows.
  func pass(_ duration: Duration) {
    clock.advance(by: duration)
    run()
  }

  /// Ends what is still under way: a task that is never resumed stays in memory for good.
  func finish() {
    source.close()
    repeat { run() } while clock.advanceToNextDeadline()
  }
}
