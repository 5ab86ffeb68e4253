/// What an operator wants to know about publishers: implement it to write logs, metrics, and spans (7.04).
///
/// Give it to a ``Publisher``, to the options of managers, or to a ``PublisherDirectory``, which gives it to every
/// publisher that it makes. Implement only the functions that you need; each does nothing by default.
///
/// All functions are called while no lock is held, usually on the thread where the event happens; a thread that is
/// already reporting also reports what other threads add meanwhile. States, and the beginnings and ends of
/// subscriptions, are reported one at a time, in the order in which the publisher has decided about them. Each delivery
/// is reported when it ends, after the beginning of its subscription and before its end; it may be reported before the
/// state that another thread has published. Whatever concerns a publication is reported within the values that the
/// publication carries (2.10). Publishing threads and deliveries wait for these functions, so keep them short. They may
/// use the publisher. Derived publishers have no instrumentation.
///
/// If several threads publish faster than these functions return, one of them reports for all as long as that goes on,
/// and what is still to be reported waits in memory. An instrumentation that keeps a ``Subscription`` keeps itself
/// alive: forget it when it has ended.
public protocol Instrumentation: Sendable {
  /// A publisher has accepted a state.
  func published(_ publication: any AnyPublication)

  /// Somebody has subscribed, or begun to iterate a sequence.
  func subscribed(_ subscription: Subscription, to source: PublisherID)

  /// A delivery has ended.
  ///
  /// - Parameters:
  ///   - publication: The state that was delivered.
  ///   - subscription: The subscription.
  ///   - took: How long the subscriber's code has run, on the system's monotonic clock; zero for sequences, whose
  ///     consumers take their states.
  func delivered(_ publication: any AnyPublication, to subscription: Subscription, took: Duration)

  /// A subscription has skipped states; reported at the next delivery, or when the subscription ends.
  func skipped(_ count: Int, by subscription: Subscription)

  /// A subscription has ended, and none of its deliveries is under way.
  func ended(_ subscription: Subscription, _ end: SubscriptionEnd)

  /// A load makes an attempt: call `attempt`, and return its result or throw its error.
  ///
  /// Here a span can begin and end. It runs in the task of the attempt, within the values that the publisher
  /// propagates.
  ///
  /// Write it exactly like this: `func load<T>(_ load: LoadDescription, _ attempt: () async throws -> T) async throws
  /// -> T`. There are two such requirements so that it works in modules with the upcoming feature
  /// `NonisolatedNonsendingByDefault` and in those without it.
  func load<T>(
    _ load: LoadDescription, _ attempt: nonisolated(nonsending) () async throws -> T
  ) async throws -> T

  /// A load makes an attempt; for modules without the upcoming feature `NonisolatedNonsendingByDefault`.
  func load<T: Sendable>(_ load: LoadDescription, _ attempt: @concurrent () async throws -> T) async throws -> T

  /// A load has ended, after at least one attempt.
  ///
  /// If it was cancelled, its last attempt may still be under way, or even about to begin.
  ///
  /// - Parameters:
  ///   - load: The last attempt.
  ///   - attempts: The number of attempts.
  ///   - duration: How long all of them have taken, with the delays between them, on the manager's clock.
  ///   - error: The last attempt's error; `CancellationError` if the load was cancelled or superseded; nil if it has
  ///     succeeded.
  func loaded(_ load: LoadDescription, attempts: Int, after duration: Duration, error: (any Error)?)

  /// A manager's cache couldn't be read, written, or cleared.
  func cacheFailed(_ failure: CacheFailure, of source: PublisherID)
}

/// An attempt of a load.
public struct LoadDescription: Hashable, Sendable {
  /// The ``StatePublisher/id`` of the manager's publisher.
  public let source: PublisherID
  /// The number of the attempt, from 1 on.
  public let attempt: Int
  /// Whether it loads one more page of a ``PagedManager``.
  public let isPage: Bool

  /// Creates a description, for tests of instrumentations.
  public init(source: PublisherID, attempt: Int, isPage: Bool) {
    (self.source, self.attempt, self.isPage) = (source, attempt, isPage)
  }
}

extension Instrumentation {
  /// Does nothing.
  public func published(_ publication: any AnyPublication) {}
  /// Does nothing.
  public func subscribed(_ subscription: Subscription, to source: PublisherID) {}
  /// Does nothing.
  public func delivered(_ publication: any AnyPublication, to subscription: Subscription, took: Duration) {}
  /// Does nothing.
  public func skipped(_ count: Int, by subscription: Subscription) {}
  /// Does nothing.
  public func ended(_ subscription: Subscription, _ end: SubscriptionEnd) {}
  /// Makes the attempt.
  public func load<T>(
    _ load: LoadDescription, _ attempt: nonisolated(nonsending) () async throws -> T
  ) async throws -> T {
    try await attempt()
  }
  /// Passes the attempt to the other function of this name.
  public func load<T: Sendable>(
    _ load: LoadDescription, _ attempt: @concurrent () async throws -> T
  ) async throws -> T {
    let inCallersTask: nonisolated(nonsending) () async throws -> T = { try await attempt() }
    return try await self.load(load, inCallersTask)
  }
  /// Does nothing.
  public func loaded(_ load: LoadDescription, attempts: Int, after duration: Duration, error: (any Error)?) {}
  /// Does nothing.
  public func cacheFailed(_ failure: CacheFailure, of source: PublisherID) {}
}
