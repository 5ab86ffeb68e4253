import SubPub
import SubPubTesting

/// What loads, and whose every step runs when the test says so, on the test's thread.
///
/// After a `run()` nothing happens by itself, so a test can check what has not happened.
protocol SteppedBench: AnyObject {
  associatedtype Origin: SteppedSource
  /// What a step leads to.
  associatedtype Outcome
  var executor: ManualExecutor { get }
  var clock: ManualClock { get }
  var source: Origin { get }
  var outcome: Outcome { get }
}

/// Calls, of a loader or a stream, that the test ends.
protocol SteppedSource {
  func fail(_ call: Int, _ error: any Error)
  /// Ends every call, and every later one as soon as it begins.
  func close()
}

extension SteppedBench {
  /// Runs everything until it waits or has ended, and returns what that has led to.
  @discardableResult func run() -> Outcome {
    executor.runAll()
    return outcome
  }

  /// Makes a call fail, and runs what follows.
  @discardableResult func fail(_ call: Int, _ error: any Error = Failure.offline) -> Outcome {
    source.fail(call, error)
    return run()
  }

  @discardableResult func cancel<Result>(_ caller: Caller<Result>) -> Outcome {
    caller.cancel()
    return run()
  }

  /// Advances the clock, and runs what follows.
  @discardableResult func pass(_ duration: Duration) -> Outcome {
    clock.advance(by: duration)
    return run()
  }

  /// Starts a task on the executor, and runs it until it waits or has ended.
  func call<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Caller<Result> {
    let caller = Caller(on: executor, body)
    run()
    return caller
  }

  /// Ends everything that is active: a task that is never resumed would leak.
  func finish() {
    source.close()
    repeat { run() } while clock.advanceToNextDeadline()
  }
}

/// A manager of numbers, step by step.
final class LoadBench: SteppedBench, Sendable {
  let executor = ManualExecutor()
  let clock = ManualClock()
  let source: Source<Int>
  let manager: LoadingManager<Int>
  private let recorder = Recorder<Int>()

  init(
    staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never, isStubborn: Bool = false,
    clock other: (any Clock<Duration>)? = nil, cache: (any StateCache<Int>)? = nil, initial: Int? = nil,
    options set: (inout LoadingOptions<Int>) -> Void = { _ in }
  ) {
    let source = Source<Int>(isStubborn: isStubborn)
    self.source = source
    var options = LoadingOptions(
      on: executor, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: other ?? clock, cache: cache, set)
    options.initial = initial
    manager = LoadingManager(options) { try await source.load() }
    manager.publisher.subscribe(recorder, on: .immediate)
  }

  deinit { finish() }

  var publisher: Publisher<Int> { manager.publisher }
  var outcome: LoadState<Int> { publisher.state }
  /// Every published state, from the first on.
  var states: [LoadState<Int>] { recorder.states }

  /// A task that refreshes, on an executor of its own if there is one.
  func caller(restarting: Bool = false, on other: ManualExecutor? = nil) -> Caller<LoadState<Int>> {
    Caller(on: other ?? executor) { [manager] in await manager.refresh(restarting: restarting) }
  }

  /// Starts a refresh, and runs it until it waits or has ended.
  @discardableResult func refresh(restarting: Bool = false) -> Caller<LoadState<Int>> {
    call { [manager] in await manager.refresh(restarting: restarting) }
  }

  /// Asks for a value, and runs until that waits or has ended; the result is the value or the error.
  @discardableResult func value(maxAge: Duration? = nil) -> Caller<LoadState<Int>> {
    call { [manager] in
      do { return .loaded(try await manager.value(maxAge: maxAge)) } catch { return .error(error, previous: nil) }
    }
  }

  @discardableResult func refreshIfNeeded() -> LoadState<Int> {
    manager.refreshIfNeeded()
    return run()
  }

  @discardableResult func logout() -> LoadState<Int> {
    manager.logout()
    return run()
  }

  @discardableResult func supersede(by superseding: Superseding) -> LoadState<Int> {
    superseding.perform(at: self)
    return run()
  }

  /// Answers a call of the loader, and runs what follows.
  @discardableResult func answer(_ call: Int, _ value: Int) -> LoadState<Int> {
    source.answer(call, .success(value))
    return run()
  }

  /// Refreshes, answers the call of the loader that this makes, and runs what follows.
  @discardableResult func load(_ value: Int) -> Caller<LoadState<Int>> {
    let caller = refresh()
    answer(source.calls - 1, value)
    return caller
  }
}

extension LoadingManager {
  /// A manager whose every step runs on an executor.
  convenience init(
    on executor: ManualExecutor, staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ManualClock(), cache: (any StateCache<Value>)? = nil,
    load: @escaping @Sendable () async throws -> Value
  ) {
    let options = LoadingOptions(
      on: executor, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock, cache: cache)
    self.init(options) { try await load() }
  }
}

extension LoadingOptions {
  /// The options of a manager whose every step runs on an executor.
  init(
    on executor: any TaskExecutor, staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never,
    clock: any Clock<Duration>, cache: (any StateCache<Value>)? = nil, _ set: (inout Self) -> Void = { _ in }
  ) {
    self.init()
    (self.executor, self.clock, self.cache) = (executor, clock, cache)
    (self.staleAfter, self.timeout, self.retry) = (staleAfter, timeout, retry)
    set(&self)
  }
}

/// A task that calls a manager, and its result.
final class Caller<Result: Sendable>: Sendable {
  private let outcome = Locked<Result?>(nil)
  private let returned = Event()
  private let task: Task<Void, Never>

  init(on executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async -> Result) {
    task = Task(executorPreference: executor) { [outcome, returned] in
      let result = await body()
      outcome.withLock { $0 = result }
      returned.happen()
    }
  }

  func cancel() { task.cancel() }

  /// Nil while the task waits.
  var result: Result? { outcome.withLock { $0 } }

  func wait(fileID: String = #fileID, line: Int = #line) async throws {
    try await returned.wait(fileID: fileID, line: line)
  }
}

/// The ways to supersede a load (5.04).
enum Superseding: String, CaseIterable, Codable, Sendable {
  case updateData, updateDataIfChanged, setError, startLoading, reset, setState, update, restartingRefresh, logout

  /// Supersedes the load, and runs nothing of what follows.
  func perform(at bench: LoadBench) {
    let publisher = bench.publisher
    switch self {
    case .updateData: publisher.updateData(50)
    case .updateDataIfChanged: publisher.updateData(ifChanged: 50)
    case .setError: publisher.setError(Failure.denied)
    case .startLoading: publisher.startLoading()
    case .reset: publisher.reset()
    case .setState: publisher.setState(.loaded(50))
    case .update: publisher.update { $0 }
    case .restartingRefresh: _ = bench.caller(restarting: true)
    case .logout: bench.manager.logout()
    }
  }
}
