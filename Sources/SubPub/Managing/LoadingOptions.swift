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

/// When the edits of a manager are sent.
public enum SendOrder: Hashable, Sendable {
  /// Every edit is sent at once, so several may be on their way at the same time.
  case concurrent
  /// An edit is sent when the sending of the one before has ended, in the order of the calls (5.24).
  case oneAtATime
}

/// The settings of a manager's loads: everything except the loader.
///
/// The initializers of managers have the same parameters. Use a value of this type if several managers have settings in
/// common:
///
/// ```swift
/// var options = LoadingOptions<[String]>(staleAfter: .seconds(60), timeout: .seconds(10))
/// options.label = "news"
/// let news = LoadingManager(options) { ["one", "two"] }
/// options.label = "sports"
/// let sports = LoadingManager(options) { previous in previous ?? [] }
/// ```
public struct LoadingOptions<Value: Sendable>: Sendable {
  /// A name for logs and debuggers.
  public var label: String?
  /// How long data counts as fresh; nil if it never becomes stale.
  ///
  /// The age of a list of pages is that of its first page.
  public var staleAfter: Duration?
  /// The fraction of ``staleAfter`` by which the time is shortened at random, so that programs that have loaded
  /// together don't load again together.
  ///
  /// With 0.2, data becomes stale after 80% to 100% of `staleAfter`. The part is drawn whenever data is new, and stays
  /// the same for that data (5.06). It doesn't change a `maxAge`. For tests that depend on the exact time, leave it at
  /// 0.
  public var staleJitter: Double
  /// How long an error is left alone (5.13); with zero, it is tried again at once.
  ///
  /// Within that time, ``LoadingManager/refreshIfNeeded()`` does nothing, and ``LoadingManager/value(maxAge:)`` throws
  /// the error, even if there is stale data. An error that is published by hand doesn't count.
  public var errorStaleAfter: Duration
  /// How long one call of the loader may take; nil, or a hundred years or more, for no limit.
  ///
  /// After that, the call is cancelled, its result is dropped even if it ignores its cancellation, and its error is
  /// ``LoadTimedOut``. It also limits a read of the cache.
  public var timeout: Duration?
  /// Whether and when a failed load is tried again.
  ///
  /// Only the last failure is published (5.07).
  public var retry: RetryPolicy
  /// Measures ages, ``timeout``, the delays between attempts, and the intervals of
  /// ``LoadingManager/refresh(every:pausingWithoutListeners:endingAtLogout:while:)``.
  ///
  /// If it throws while `timeout` is measured, the attempt fails with its error; during a delay, no attempt follows;
  /// during an interval, the poll ends.
  public var clock: any Clock<Duration>
  /// Data to begin with, which counts as new: version 1, with the origin `published`; nil for none.
  ///
  /// The cache is read only while there is no data, so not before a `logout()`.
  public var initial: Value?
  /// Keeps the last value beyond the manager's life.
  ///
  /// If there is no data, a load first publishes the cached value with its age. Each loaded value is written to the
  /// cache; a list is written after each page, with the age of its first page (5.06). `logout()` clears it (5.10).
  public var cache: (any StateCache<Value>)?
  /// Whether a cached value that is fresh makes a load unnecessary (5.11).
  public var cachePolicy: CachePolicy
  /// Whether a load publishes `loading` while there is data (5.18).
  public var refreshes: RefreshVisibility
  /// Compares the current data, without pending edits, with a loaded value.
  ///
  /// If it returns true, the current data stays and counts as new, and a quiet refresh publishes nothing (5.18). With
  /// nil, every loaded value is published. Called on no particular thread, while no lock is held.
  public var isUnchanged: (@Sendable (Value, Value) -> Bool)?
  /// Called if the cache can't be read, written, or cleared, on no particular thread.
  ///
  /// A failed read publishes nothing, and the load continues (5.12); a failed write changes nothing else. After a
  /// failed clear, nothing is read until a clear succeeds or a value is written.
  public var cacheFailed: @Sendable (CacheFailure) -> Void
  /// Called after each call of the loader that fails, on no particular thread.
  ///
  /// It receives the number of calls that have failed, starting with 1, and the error.
  public var attemptFailed: @Sendable (_ attempt: Int, _ error: any Error) -> Void
  /// How many publications are kept besides the current one, for clients that come back: see
  /// ``StatePublisher/publications(after:buffering:label:)`` (6.05).
  public var history: Int
  /// Task-local values that deliveries, and the attempts of a load, see as they are where a state is published, or the
  /// load is asked for (2.10).
  public var propagating: [PropagatedContext]
  /// Is told what happens, for logs, metrics, and spans (7.04).
  public var instrumentation: (any Instrumentation)?
  /// Whether an edit waits until the one before has been sent (5.24); all edits show at once.
  public var sends: SendOrder
  /// The executor that runs all work, for tests in which a seed decides which job is next; nil for the pool.
  package var executor: (any TaskExecutor)?
  /// Makes the scheduling points of the publisher, for the same tests.
  package var schedulingPoints = SchedulingPoint.Maker()
  /// Determines what is drawn for ``staleJitter``, for tests; with nil, each manager draws a seed.
  package var jitterSeed: UInt64?

  /// Creates options; each parameter sets the property of the same name.
  public init(
    label: String? = nil, staleAfter: Duration? = nil, staleJitter: Double = 0, errorStaleAfter: Duration = .zero,
    timeout: Duration? = nil, retry: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(),
    initial: Value? = nil, cache: (any StateCache<Value>)? = nil, cachePolicy: CachePolicy = .loadIfStale,
    refreshes: RefreshVisibility = .visible, isUnchanged: (@Sendable (Value, Value) -> Bool)? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in },
    attemptFailed: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Void = { _, _ in },
    history: Int = 0, propagating: [PropagatedContext] = [], instrumentation: (any Instrumentation)? = nil,
    sends: SendOrder = .concurrent
  ) {
    self.label = label
    self.staleAfter = staleAfter
    self.staleJitter = staleJitter
    self.errorStaleAfter = errorStaleAfter
    self.timeout = timeout
    self.retry = retry
    self.clock = clock
    self.initial = initial
    self.cache = cache
    self.cachePolicy = cachePolicy
    self.refreshes = refreshes
    self.isUnchanged = isUnchanged
    self.cacheFailed = cacheFailed
    self.attemptFailed = attemptFailed
    self.history = history
    self.propagating = propagating
    self.instrumentation = instrumentation
    self.sends = sends
  }

  /// Makes what the manager of a publisher needs of its cache; nil without a cache.
  func makeCache(for source: PublisherID) -> ManagerCache<Value>? {
    cache.map { cache in
      ManagerCache(cache) { [cacheFailed, instrumentation] failure in
        cacheFailed(failure)
        instrumentation?.cacheFailed(failure, of: source)
      }
    }
  }

  /// Publishes the value that a manager begins with.
  func publishInitial(at registry: PublisherRegistry, _ freshness: Freshness?) {
    guard let initial else { return }
    let provenance = Provenance(.published, freshSince: freshness?.start())
    registry.decide { (current: Publication<Value>, _, _) in
      PublisherStep(published: current.next(.loaded(initial), provenance))
    }
  }

  func makeFreshness() -> Freshness {
    let jitter = staleJitter > 0 ? Jitter(upTo: staleJitter, seed: jitterSeed ?? .random(in: 0...UInt64.max)) : nil
    return Freshness(staleAfter: staleAfter, jitter: jitter, clock: clock)
  }

  func makePublisher() -> Publisher<Value> {
    Publisher(
      label: label, freshness: staleAfter.map { _ in makeFreshness() }, clock: clock, history: history,
      propagating: propagating, instrumentation: instrumentation, schedulingPoints: schedulingPoints)
  }
}
