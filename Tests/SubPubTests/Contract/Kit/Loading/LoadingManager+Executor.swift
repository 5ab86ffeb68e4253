import SubPub
import SubPubTesting

extension LoadingManager {
  /// A manager whose every step runs on that executor.
  convenience init(
    on executor: ManualExecutor, staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ManualClock(), cache: (any StateCache<Value>)? = nil,
    load: @escaping @Sendable () async throws -> Value
  ) {
    self.init(
      label: nil, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock, cache: cache,
      cacheFailed: { _ in }, executor: executor, load: load)
  }
}
