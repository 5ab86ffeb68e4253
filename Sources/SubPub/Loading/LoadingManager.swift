/// Loads one value for any number of callers, and drives a publisher with it: loading, then loaded or error.
///
/// One load is under way at a time; who asks meanwhile shares it (rule 5.03). A load ends without a result when it is
/// overtaken: by any transition but `publish()` that someone else makes, by a forced refresh, by `logout()`. Its loader
/// is cancelled then, and what it still comes to is dropped (rule 5.04). Releasing the manager cancels its load (rule
/// 5.09).
///
/// ```swift
/// let news = LoadingManager<[String]>(
///   label: "news", staleAfter: .seconds(60), timeout: .seconds(10),
///   retry: .exponential(maxAttempts: 3, initial: .milliseconds(500), maximum: .seconds(5), jitter: 0.5)
/// ) {
///   ["one", "two"]                     // ask a server
/// }
/// news.publisher.subscribe(screen) { screen, state in screen.title = "\(state)" }
/// news.refreshIfNeeded()                // loads, as nothing is there yet
/// let state = await news.refresh()      // shares that load
/// ```
///
/// Every operation may be called from any thread, task or actor. None waits for the loader but `refresh(force:)`, which
/// suspends its task.
public final class LoadingManager<Value: Sendable>: Manager {
  /// Who tells the subscribers. What you change on it overtakes a load that is under way, and leaves the cache as it
  /// is.
  public let publisher: Publisher<Value>
  private let driver: LoadDriver<Value>
  private let plan: LoadPlan<Value>

  /// A manager that has loaded nothing yet.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long loaded data counts as fresh; nil: for ever.
  ///   - timeout: How long one call of `load` may take; nil, or a hundred years and more: as long as it does. Then it
  ///     is cancelled, `LoadTimedOut` is its error, and what it still comes to is dropped, also if it doesn't heed its
  ///     cancellation.
  ///   - retry: Whether and when a load that failed is tried again. Only the last failure is published (rule 5.07).
  ///   - clock: What `staleAfter`, `timeout` and the waits between attempts are measured on.
  ///   - cache: Keeps the last value beyond the manager's life. It is read by a load that finds nothing to show: its
  ///     value shows as loaded, with its age, before the loader is called. What can't be read shows as an error. What
  ///     was loaded is written. `logout()` clears it.
  ///   - cacheFailed: Is told when the cache can't be read, written or cleared. A write that fails changes nothing
  ///     else; until a clear that failed has been made up for, nothing is read. Called on no particular thread.
  ///   - load: Gets the value, outside every actor, without the task-local values and the priority of who asked. May be
  ///     called again after a failure, and while a call that was cancelled hasn't returned yet. Any error that it
  ///     throws counts as its failure, `CancellationError` too. To await a refresh of its own manager would be to wait
  ///     for itself.
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

  /// The same, with everything run by that executor: for tests that draw from a seed who is next.
  package init(
    label: String?, staleAfter: Duration?, timeout: Duration?, retry: RetryPolicy, clock: any Clock<Duration>,
    cache: (any StateCache<Value>)?, cacheFailed: @escaping @Sendable (CacheFailure) -> Void,
    executor: (any TaskExecutor)?, load: @escaping @Sendable () async throws -> Value
  ) {
    publisher = Publisher(label: label, staleAfter: staleAfter, clock: clock)
    driver = LoadDriver(
      publisher, Attempt(timeout: timeout, clock: clock, executor: executor), retry: retry,
      cache: cache.map { ManagerCache($0, report: cacheFailed) })
    plan = LoadPlan(kind: .whole, operation: load)
  }

  deinit { driver.abandon() }

  /// Loads, or shares the load under way, and returns what it came to: loaded, or error (rule 5.03).
  ///
  /// When it returns, the thread that published the result has delivered it to subscribers with immediate delivery; if
  /// another thread was delivering to them, that one carries it on (rule 2.03).
  ///
  /// Returns the publisher's current state when the load was overtaken, and at once when the calling task is cancelled.
  /// When the last task that waits for a load is cancelled, the loader is cancelled and the state before the load comes
  /// back (rule 5.05); to subscribers with immediate delivery on the thread that cancels.
  ///
  /// - Parameter force: Overtakes a load that is under way instead of sharing it, for data that must not have been
  ///   asked for before now.
  @discardableResult
  public func refresh(force: Bool = false) async -> LoadState<Value> {
    await driver.load(.whole, joins: !force) { [plan] _ in plan } ?? publisher.state
  }

  /// Loads when nothing was loaded yet, after an error, and when what is loaded is stale; nothing else. Returns at
  /// once.
  ///
  /// A load that is under way goes on then, also if everyone who waits for it is cancelled.
  public func refreshIfNeeded() { driver.loadIfNeeded(plan) }

  /// Forgets everything that was loaded, and ends the load under way.
  ///
  /// Nothing that was written to the cache before is ever read again (rule 5.10). The cache is cleared behind this
  /// call: a program that is about to exit awaits `waitForCache()`.
  public func logout() { driver.logout() }

  /// Returns when the cache has done everything that it was asked for until now: what is loaded is written, or what
  /// `logout()` forgot is cleared.
  public func waitForCache() async { await driver.waitForCache() }
}

extension LoadingManager: CustomStringConvertible {
  /// The publisher's description.
  public var description: String { "LoadingManager of \(publisher)" }
}
