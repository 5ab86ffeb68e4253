/// Anything that has a state and can be subscribed to: a ``Publisher``, a ``ReadOnlyPublisher``, or a type that wraps
/// one.
///
/// It has all operations that don't publish. Take `some StatePublisher<Value>` where you only want to read, subscribe,
/// or derive.
///
/// However you subscribe, the subscriber receives the current state first and then every later one (2.01). An object is
/// held weakly, and its subscription lasts as long as it lives (2.05, 3.06). A closure is given the object: use that
/// one, because a closure that captures the object keeps it alive.
///
/// To make your own type conform, keep a publisher, and return its `_access`, which doesn't keep it:
///
/// ```swift
/// final class Thermometer: StatePublisher {
///   private let publisher = Publisher<Double>(label: "thermometer")
///   var _access: StateAccess<Double> { publisher._access }
/// }
/// ```
public protocol StatePublisher<Value>: AnyObject, Sendable {
  /// The type of the values.
  associatedtype Value: Sendable

  /// The library's way to read the publisher and to subscribe to it; nothing else can use it.
  var _access: StateAccess<Value> { get }
}

/// The library's way to read a publisher and to subscribe to it.
///
/// Only the library can use it. See ``StatePublisher``.
@frozen
public struct StateAccess<Value: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry
  @usableFromInline let freshness: Freshness?
  /// What the publisher is derived from; nil if its owner publishes.
  @usableFromInline let derivation: Derivation?

  @inlinable @inline(__always)
  init(_ registry: PublisherRegistry, _ freshness: Freshness?, _ derivation: Derivation? = nil) {
    self.registry = registry
    self.freshness = freshness
    self.derivation = derivation
  }
}

/// Reading.
extension StatePublisher {
  /// Identifies the publisher in its publications and subscriptions.
  @inlinable public var id: PublisherID { _access.registry.source }

  /// The name that the publisher was created with.
  public var label: String? { id.label }

  /// The current state.
  ///
  /// A derived publisher follows its source: see ``map(label:on:buffering:_:)``.
  @inlinable public var state: LoadState<Value> { current.state }

  /// The current state and its version, read together (1.01).
  @inlinable public var current: Publication<Value> {
    let registry = _access.registry
    guard let current = registry.current else { stopForMisuse("\(registry.source) is read after its end") }
    return .from(current)
  }

  /// How long loaded data counts as fresh; nil if it never becomes stale.
  ///
  /// ``LoadingOptions/staleJitter`` shortens it by another part for each data.
  ///
  /// With `map`, this is the source's. It is nil for combined publishers.
  public var staleAfter: Duration? { _access.freshness?.staleAfter }

  /// Whether the current data is at least as old as ``staleAfter`` says, or was invalidated by a manager.
  ///
  /// Previous data counts as well: during a load, and after an error, it is as stale as it was before. Without data,
  /// the answer is false. Becoming stale publishes nothing (5.06, 5.15).
  ///
  /// The data of a derived publisher is stale if the data of one of its sources is. This is true even if nothing has
  /// been published since the source's data became stale or was found unchanged. Reads the clocks of all sources.
  ///
  /// - Complexity: O(*n*) in the number of paths through its sources.
  public var isStale: Bool { _access.isStale }

  /// Returns the age of a publication's data, or of its previous data (5.06).
  ///
  /// - Parameter publication: A publication of this publisher.
  /// - Returns: The age on this publisher's clock. Nil without data, without ``staleAfter``, and for combined
  ///   publishers. With `map`, data has the age of the source's data.
  public func age(of publication: Publication<Value>) -> Duration? { _access.age(of: publication) }

  /// Whether the publisher has finished: by ``Publisher/finish()``, or, if it is derived, with all of its sources
  /// (3.09).
  public var isFinished: Bool { _access.registry.isFinished }

  /// The number of living subscriptions, including sequences that are being iterated and derived publishers.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  public var subscriberCount: Int { subscriptions.count }

  /// The living subscriptions, in no particular order, for debugging.
  ///
  /// They include those of derived publishers: if you cancel one, that publisher no longer changes.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  public var subscriptions: [Subscription] { _access.registry.subscriptions }
}

/// Waiting.
extension StatePublisher {
  /// Waits for the first loaded value from now on.
  ///
  /// Returns at once if a value is loaded now. Waiting doesn't keep the publisher alive, so keep a derived publisher
  /// until the call has returned.
  ///
  /// - Returns: The loaded value.
  /// - Throws: The first error that is published, including the current one; `CancellationError` if the task is
  ///   cancelled; ``PublisherEnded`` if the publisher is finished or released before it has a value.
  public consuming func value() async throws -> Value {
    if current.phase == .loading { _access.registry.stopIfAwaitedByOwner() }
    let states = states()
    _ = consume self
    return try await states.firstValue()
  }

  /// Waits until every subscription has received or skipped everything published so far (3.07).
  ///
  /// Only subscriptions that exist at the call count. A subscription that ends doesn't hold up the call, even if its
  /// context is blocked: dead subscribers are looked for 20 times a second. On a context that runs only when a test
  /// tells it to, a dead subscriber is noticed when the context runs.
  ///
  /// A sequence has received a state when its `next()` returns it, so don't call this function inside the loop over a
  /// sequence of this publisher. At a derived publisher, a state of the source counts once it has arrived there: to
  /// include states that are still on their way, drain the source first. (A derived publisher that was made while its
  /// source published faster than it could follow may catch up a few milliseconds later, on a thread of Dispatch.)
  /// Returns early if the task is cancelled.
  public func drain() async { await _access.registry.drain() }

  /// Waits as ``drain()`` does, but throws if that takes too long (3.07).
  ///
  /// Use it for a graceful shutdown, for example. Returns early if the task is cancelled; check `Task.isCancelled` to
  /// find out.
  ///
  /// - Parameters:
  ///   - limit: How long to wait. With a hundred years or more, there is no limit.
  ///   - clock: Measures the limit.
  /// - Throws: ``DrainTimedOut`` at the limit, with the subscriptions that are late. The clock's error if the clock
  ///   fails.
  public func drain(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
    let late = try await _access.registry.drain(within: limit, clock: clock)
    if !late.isEmpty { throw DrainTimedOut(limit: limit, subscriptions: late) }
  }
}

/// The error that ``StatePublisher/drain(within:clock:)`` throws at its limit.
public struct DrainTimedOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// How long the call waited.
  public let limit: Duration
  /// The subscriptions that still had a state pending or under way.
  public let subscriptions: [Subscription]

  /// Creates the error, for tests of code that handles it.
  ///
  /// - Parameters:
  ///   - limit: How long the call waited.
  ///   - subscriptions: The subscriptions that are late.
  public init(limit: Duration, subscriptions: [Subscription]) {
    self.limit = limit
    self.subscriptions = subscriptions
  }

  /// The limit and a description of each late subscription.
  public var description: String {
    "after \(limit) these subscriptions are late: " + subscriptions.map(\.description).joined(separator: "; ")
  }
}
