/// Whether a fresh cached value makes a load unnecessary.
public enum CachePolicy: Hashable, Sendable {
  /// A cached value that is still fresh makes a load unnecessary, unless ``Manager/refresh()`` asks for it (5.11).
  case loadIfStale
  /// A cached value is only shown until the load has ended.
  case alwaysLoad
}

/// Whether subscribers see that data is being loaded again.
public enum RefreshVisibility: Hashable, Sendable {
  /// Every load publishes ``LoadState/loading(previous:)`` when it begins.
  case visible
  /// While there is data, a load publishes only its result (5.18).
  case quiet
}

/// Everything that a manager can be told about its loads.
package struct LoadingOptions<Value: Sendable>: Sendable {
  package var label: String?
  package var staleAfter: Duration?
  package var errorStaleAfter = Duration.zero
  package var timeout: Duration?
  package var retry = RetryPolicy.never
  package var clock: any Clock<Duration> = ContinuousClock()
  package var cache: (any StateCache<Value>)?
  package var cachePolicy = CachePolicy.loadIfStale
  package var refreshes = RefreshVisibility.visible
  package var isUnchanged: (@Sendable (Value, Value) -> Bool)?
  package var cacheFailed: @Sendable (CacheFailure) -> Void = { _ in }
  package var attemptFailed: @Sendable (_ attempt: Int, _ error: any Error) -> Void = { _, _ in }
  /// The executor that runs all work, for tests in which a seed decides which job is next; nil for the pool.
  package var executor: (any TaskExecutor)?

  package init() {}

  init(
    label: String?, staleAfter: Duration?, errorStaleAfter: Duration, timeout: Duration?, retry: RetryPolicy,
    clock: any Clock<Duration>, cache: (any StateCache<Value>)?, cachePolicy: CachePolicy,
    refreshes: RefreshVisibility = .visible, isUnchanged: (@Sendable (Value, Value) -> Bool)? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void,
    attemptFailed: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Void
  ) {
    (self.label, self.staleAfter, self.errorStaleAfter) = (label, staleAfter, errorStaleAfter)
    (self.timeout, self.retry, self.clock) = (timeout, retry, clock)
    (self.cache, self.cachePolicy, self.cacheFailed) = (cache, cachePolicy, cacheFailed)
    (self.refreshes, self.isUnchanged, self.attemptFailed) = (refreshes, isUnchanged, attemptFailed)
  }

  func makeFreshness() -> Freshness { Freshness(staleAfter: staleAfter, clock: clock) }

  func makePublisher() -> Publisher<Value> { Publisher(label: label, staleAfter: staleAfter, clock: clock) }
}
