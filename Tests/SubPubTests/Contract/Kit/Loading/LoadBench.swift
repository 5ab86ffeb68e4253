import SubPub
import SubPubTesting

/// A manager of numbers, step by step.
final class LoadBench: SteppedBench, Sendable {
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

  /// A task that refreshes, until it waits or has ended.
  @discardableResult func refresh(restarting: Bool = false) -> Caller<State> {
    let caller = Caller(on: executor) { [manager] in await manager.refresh(restarting: restarting) }
    run()
    return caller
  }

  /// Answers a call of the loader, and runs what follows.
  func answer(_ call: Int, _ value: Int) {
    source.answer(call, .success(value))
    run()
  }
}
