/// A manager that loads one value for any number of callers.
///
/// One load is active at a time, and all callers share it (5.03). The publisher changes to `loading`, and then to
/// `loaded` or `error`. A load is superseded by `refresh(restarting: true)`, `logout()`, and any transition other than
/// its own, those of edits (5.20), and `republish()`: its loader is cancelled, and its result is dropped (5.04).
/// Releasing the manager cancels its load (5.09).
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
/// You can call every operation from any thread, task, or actor. Only the `async` ones wait, which suspends their task.
public final class LoadingManager<Value: Sendable>: Manager {
  /// The publisher of the value.
  ///
  /// If you change its state yourself, you supersede an active load (5.04) and drop pending edits (5.20). The cache
  /// doesn't change.
  public let publisher: Publisher<Value>
  let driver: LoadDriver<Value>

  /// Creates a manager.
  ///
  /// The parameters are the properties of ``LoadingOptions``, and the loader as in ``init(_:load:)-(_,()->Value)``.
  ///
  /// - Precondition: `staleAfter` and `errorStaleAfter` aren't negative, `staleJitter` is between 0 and 1, and
  ///   `timeout` is greater than zero.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, staleJitter: Double = 0, errorStaleAfter: Duration = .zero,
    timeout: Duration? = nil,
    retry: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(), initial: Value? = nil,
    cache: (any StateCache<Value>)? = nil, cachePolicy: CachePolicy = .loadIfStale,
    refreshes: RefreshVisibility = .visible, isUnchanged: (@Sendable (Value, Value) -> Bool)? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in },
    attemptFailed: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Void = { _, _ in },
    history: Int = 0, propagating: [PropagatedContext] = [], instrumentation: (any Instrumentation)? = nil,
    sends: SendOrder = .concurrent, load: @escaping @Sendable () async throws -> Value
  ) {
    self.init(
      LoadingOptions(
        label: label, staleAfter: staleAfter, staleJitter: staleJitter, errorStaleAfter: errorStaleAfter,
        timeout: timeout, retry: retry,
        clock: clock, initial: initial, cache: cache, cachePolicy: cachePolicy, refreshes: refreshes,
        isUnchanged: isUnchanged, cacheFailed: cacheFailed, attemptFailed: attemptFailed,
        history: history, propagating: propagating, instrumentation: instrumentation, sends: sends),
      load: load)
  }

  /// Creates a manager from options.
  ///
  /// - Parameters:
  ///   - options: The settings of the loads.
  ///   - load: Loads the value. Runs outside every actor, without the priority of its callers, and without their
  ///     task-local values except those that the options propagate. May be called again after a failure, and while a
  ///     cancelled call hasn't returned yet. Every error counts as a failure, including `CancellationError`. Don't
  ///     await `refresh()` or `value()` of the same manager in it: that would never end.
  /// - Precondition: `staleAfter` and `errorStaleAfter` aren't negative, `staleJitter` is between 0 and 1, and
  ///   `timeout` is greater than zero.
  public convenience init(_ options: LoadingOptions<Value>, load: @escaping @Sendable () async throws -> Value) {
    self.init(options) { _, _ in try await load() }
  }

  /// Creates a manager whose loader receives the current data, for conditional requests.
  ///
  /// - Parameters:
  ///   - options: The settings of the loads.
  ///   - load: Loads the value. Receives the current data without pending edits, or nil if there is none. Everything
  ///     else is as with ``init(_:load:)-(_,()->Value)``.
  /// - Precondition: `staleAfter` and `errorStaleAfter` aren't negative, `staleJitter` is between 0 and 1, and
  ///   `timeout` is greater than zero.
  public convenience init(
    _ options: LoadingOptions<Value>, load: @escaping @Sendable (_ previous: Value?) async throws -> Value
  ) {
    self.init(options) { _, previous in try await load(previous()) }
  }

  private init(_ options: LoadingOptions<Value>, _ load: @escaping LoadMachine<Value>.Load) {
    publisher = options.makePublisher()
    driver = LoadDriver(publisher, options, load)
  }

  deinit { driver.endManager() }
}

/// Asking for data.
extension LoadingManager {
  /// Loads, or shares the active load, and waits for the result (5.03).
  ///
  /// A cached value never makes this load unnecessary.
  ///
  /// When it returns, subscribers with immediate delivery have received the result on the thread that published it,
  /// unless another thread was delivering to them: then that thread carries on with the result (2.03).
  ///
  /// If the calling task is cancelled, it returns the current state at once. When the last task that waits for a load
  /// is cancelled, the loader is cancelled, and the state from before the load is published again (5.05); subscribers
  /// with immediate delivery receive it on the thread that cancels.
  ///
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was
  ///   superseded: for example `loading` if another load has taken its place, or the data from before if that load is
  ///   quiet.
  @discardableResult
  public func refresh() async -> LoadState<Value> { await refresh(restarting: false) }

  /// Loads as ``refresh()`` does, and may supersede an active load.
  ///
  /// - Parameter restarting: Whether to supersede an active load instead of sharing it, for data that must not have
  ///   been requested before now. Callers that wait for the superseded load return the current state, and those of
  ///   ``value(maxAge:)`` wait for the new one.
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was
  ///   superseded.
  @discardableResult
  public func refresh(restarting: Bool) async -> LoadState<Value> {
    await driver.load(joins: !restarting) ?? publisher.state
  }

  /// Loads if nothing has been loaded yet, if the data is stale, or after an error; otherwise does nothing.
  ///
  /// A cached value that is fresh makes the load unnecessary (5.11), and an error younger than `errorStaleAfter` is
  /// left alone (5.13), unless ``invalidate()`` was called since. Returns without waiting. From now on an active load
  /// continues even if every task that waits for it is cancelled (5.05).
  public func refreshIfNeeded() { driver.loadIfNeeded() }

  /// Returns the data if it is fresh, and otherwise loads it, or throws an error that is too new to try again (5.13).
  ///
  /// Fresh data is returned at once, even while it is being loaded again or after an error. Otherwise, the call shares
  /// the active load or begins one. It keeps the manager alive until it returns.
  ///
  /// - Parameter maxAge: Data this old or older is loaded again, and so is data without an age. With neither
  ///   `staleAfter` nor a cache, ages are measured only from the first call with a `maxAge`. With nil, stale data is
  ///   loaded again, and data without an age isn't.
  /// - Returns: The value; if another load has taken the place of the first one, that of the other one. If the load was
  ///   cancelled, or the state was changed by hand, the value of the current state, however old it is.
  /// - Throws: The error that the load ended with. If the load was cancelled, or the state was changed by hand, the
  ///   error of the current state, or ``NotLoaded`` if that state is `unknown` or `loading`, even with previous data.
  ///   `CancellationError` if the calling task is cancelled.
  /// - Precondition: `maxAge` isn't negative.
  public func value(maxAge: Duration? = nil) async throws -> Value {
    try await driver.value(maxAge: maxAge)
  }

  /// Returns the value in the cache, and never calls the loader.
  ///
  /// The read takes its place among the cache's operations (5.10): it finds what was written before the call, and
  /// nothing from before a logout. Nothing is published. The value may be older or newer than the published one, and
  /// lacks edits that are pending.
  ///
  /// - Returns: The value with its age, which is more than a hundred years if the value had been invalidated, or might
  ///   lack something, when it was written; nil if the cache is empty or cleared meanwhile, or if there is no cache.
  /// - Throws: ``CacheFailure`` if the cache can't be read, which is also reported to `cacheFailed`; ``LoadTimedOut``
  ///   if that takes longer than `timeout`; `CancellationError` if the calling task is cancelled.
  public func cachedValue() async throws -> Cached<Value>? { try await driver.cachedValue() }
}

/// Changing the data.
extension LoadingManager {
  /// Makes the data stale, and publishes nothing (5.15).
  ///
  /// The next request loads it. A load that has already begun doesn't make it fresh, and nobody joins that load. Until
  /// this manager writes a newer value, it doesn't treat the cached one as fresh; other managers of the cache do. The
  /// server's answer to an edit made before this call counts as stale.
  public func invalidate() { driver.invalidate() }

  /// Publishes a value and writes it to the cache (5.16).
  ///
  /// It counts as new, supersedes an active load, and drops pending edits (5.20).
  ///
  /// - Parameter value: The value.
  public func set(_ value: Value) { driver.set(value) }

  /// Cancels the active load, and publishes the state from before it (5.05).
  ///
  /// Its callers return that state. Pending edits stay.
  public func cancel() { driver.cancel() }

  /// Forgets all data, cancels the active load, drops pending edits (5.20), and ends polls (5.17).
  ///
  /// Nothing that was written to the cache before is ever read again (5.10). The cache is cleared asynchronously,
  /// so await ``waitForCache()`` before you exit the program.
  public func logout() { driver.logout() }

  /// Waits until the cache has done everything that was requested so far.
  ///
  /// By then, values have been written, and values that `logout()` has forgotten have been cleared, or `cacheFailed`
  /// was called. A load that is still active may request more. Returns early if the task is cancelled.
  public func waitForCache() async { await driver.waitForCache() }
}

extension LoadingManager: CustomStringConvertible {
  /// The description of the publisher.
  public var description: String { "LoadingManager of \(publisher)" }
}
