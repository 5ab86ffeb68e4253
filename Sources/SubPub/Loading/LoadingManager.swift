/// A manager that loads one value for any number of callers.
///
/// One load is active at a time, and all callers share it (5.03). The publisher changes to `loading`, and then to
/// `loaded` or `error`. A load is superseded by any transition that it doesn't make itself, except `republish()`, and
/// by `refresh(restarting: true)` and `logout()`: its loader is cancelled, and its result is dropped (5.04). Releasing
/// the manager cancels its load (5.09).
///
/// ```swift
/// let news = LoadingManager<[String]>(
///   label: "news", staleAfter: .seconds(60), timeout: .seconds(10),
///   retry: .exponential(maxAttempts: 3, initial: .milliseconds(500), maximum: .seconds(5), jitter: 0.5)
/// ) {
///   ["one", "two"]  // Ask a server.
/// }
/// news.publisher.subscribe(screen) { screen, state in screen.title = "\(state)" }
/// news.refreshIfNeeded()  // Loads, as there is no data yet.
/// let state = await news.refresh()  // Shares that load.
/// ```
///
/// Call every operation from any thread, task, or actor. Only ``refresh(restarting:)`` and ``waitForCache()`` wait,
/// which suspends their task.
public final class LoadingManager<Value: Sendable>: Manager {
  /// The publisher of the value.
  ///
  /// If you change its state yourself, you supersede an active load (5.04). The cache doesn't change.
  public let publisher: Publisher<Value>
  private let driver: LoadDriver<Value>
  private let plan: LoadDriver<Value>.Plan

  /// Creates a manager that has loaded nothing yet.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long loaded data counts as fresh; nil if it never becomes stale.
  ///   - timeout: How long one call of `load` may take. After that, it is cancelled, its result is dropped even if it
  ///     ignores its cancellation, and its error is ``LoadTimedOut``. With nil, or a hundred years or more, there is no
  ///     limit.
  ///   - retry: Whether and when a failed load is tried again. Only the last failure is published (5.07).
  ///   - clock: Measures `staleAfter`, `timeout`, and the delays between attempts.
  ///   - cache: Keeps the last value beyond the manager's life. If there is no data, a load first publishes the cached
  ///     value with its age, or an error if it can't be read. Each loaded value is written to the cache. `logout()`
  ///     clears it (5.10).
  ///   - cacheFailed: Called if the cache can't be read, written, or cleared, on no particular thread. A failed write
  ///     changes nothing else. After a failed clear, nothing is read until a clear succeeds or a value is written.
  ///   - load: Loads the value. Runs outside every actor, without the task-local values and the priority of its
  ///     callers. May be called again after a failure, and while a cancelled call hasn't returned yet. Every error
  ///     counts as a failure, including `CancellationError`. Don't await a refresh of the same manager in it: that
  ///     would never end.
  /// - Precondition: `staleAfter` isn't negative, and `timeout` is greater than zero.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), cache: (any StateCache<Value>)? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in },
    load: @escaping @Sendable () async throws -> Value
  ) {
    self.init(
      label: label, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock, cache: cache,
      cacheFailed: cacheFailed, executor: nil, load: load)
  }

  /// Creates a manager whose work runs on one executor, for tests in which a seed decides which job is next.
  package init(
    label: String?, staleAfter: Duration?, timeout: Duration?, retry: RetryPolicy, clock: any Clock<Duration>,
    cache: (any StateCache<Value>)?, cacheFailed: @escaping @Sendable (CacheFailure) -> Void,
    executor: (any TaskExecutor)?, load: @escaping @Sendable () async throws -> Value
  ) {
    publisher = Publisher(label: label, staleAfter: staleAfter, clock: clock)
    driver = LoadDriver(
      publisher, TimeLimitedOperation(timeout: timeout, clock: clock, executor: executor), retry: retry,
      cache: cache.map { ManagerCache($0, failed: cacheFailed) })
    plan = LoadDriver.Plan(kind: .whole, load: load)
  }

  deinit { driver.rollBack() }

  /// Loads, or shares the active load, and waits for the result (5.03).
  ///
  /// When it returns, subscribers with immediate delivery have received the result on the thread that published it,
  /// unless another thread was delivering to them: that thread carries on with it (2.03).
  ///
  /// If the calling task is cancelled, it returns the current state at once. When the last task that waits for a load
  /// is cancelled, the loader is cancelled, and the state from before the load is published again (5.05); subscribers
  /// with immediate delivery receive it on the thread that cancels.
  ///
  /// - Parameter restarting: Whether to supersede an active load instead of sharing it, for data that must not have
  ///   been requested before now.
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was
  ///   superseded.
  @discardableResult
  public func refresh(restarting: Bool = false) async -> LoadState<Value> {
    await driver.load(.whole, joins: !restarting) { [plan] _ in plan } ?? publisher.state
  }

  /// Loads if nothing was loaded yet, after an error, or if the data is stale; otherwise does nothing.
  ///
  /// Returns without waiting. From now on an active load continues even if every task that waits for it is cancelled
  /// (5.05).
  public func refreshIfNeeded() { driver.loadIfNeeded(plan) }

  /// Forgets all data and cancels the active load.
  ///
  /// Nothing that was written to the cache before is ever read again (5.10). The cache is cleared after this call has
  /// returned, so await ``waitForCache()`` before you exit the program.
  public func logout() { driver.logout() }

  /// Waits until the cache has done everything that was requested so far.
  ///
  /// Loaded values are written then, and values that `logout()` has forgotten are cleared. Returns early if the task is
  /// cancelled.
  public func waitForCache() async { await driver.waitForCache() }
}

extension LoadingManager: CustomStringConvertible {
  /// The description of the publisher.
  public var description: String { "LoadingManager of \(publisher)" }
}
