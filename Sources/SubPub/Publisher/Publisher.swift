/// Holds the state of one load, and broadcasts every change of it to its subscribers.
///
/// A new publisher is ``LoadState/unknown``, at version 0. Every accepted change is a transition with a version one greater
/// than the last (1.01). All subscribers see them in the same order (1.02). A new subscriber receives the current state first,
/// and then everything that follows (2.01).
///
/// ```swift
/// let news = Publisher<[String]>(label: "news")
/// news.subscribe(log, on: .background) { log, state in log.write("\(state)") }
/// news.startLoading()
/// news.updateData(["one", "two"])
/// ```
///
/// Subscribers are held weakly. Call every operation that isn't `async` from any thread, task or actor (1.06): none of them
/// waits for a subscriber (1.05). When the publisher is released, pending states are still delivered, and then its
/// subscriptions and sequences end (3.06).
public final class Publisher<Value: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry
  @usableFromInline let freshness: Freshness?

  /// Creates a publisher in the state ``LoadState/unknown``.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long loaded data counts as fresh. Nil: forever, and the clock isn't read.
  ///   - clock: Measures `staleAfter`. Read while no lock is held (5.06).
  /// - Precondition: `staleAfter` isn't negative.
  public init(label: String? = nil, staleAfter: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()) {
    let id = PublisherID(label: label)
    freshness = staleAfter.map { Freshness(staleAfter: $0, clock: clock) }
    registry = PublisherRegistry(id, initial: Publication<Value>(.unknown, source: id, freshSince: nil))
  }

  #if DEBUG
    /// With scheduling points, for tests that decide which thread is next.
    package init(staleAfter: Duration?, clock: any Clock<Duration>, schedulingPoints: SchedulingPoint.Maker) {
      let id = PublisherID(label: nil)
      freshness = staleAfter.map { Freshness(staleAfter: $0, clock: clock) }
      registry = PublisherRegistry(
        id, initial: Publication<Value>(.unknown, source: id, freshSince: nil),
        schedulingPoints: schedulingPoints)
    }
  #endif

  deinit { registry.end() }
}

extension Publisher {
  /// Identifies this publisher in everything that it publishes.
  @inlinable public var id: PublisherID { registry.source }

  /// The name that the publisher was given.
  public var label: String? { id.label }

  /// The current state.
  @inlinable public var state: LoadState<Value> { current.state }

  /// The current state and its version, read together (1.01).
  @inlinable public var current: Publication<Value> {
    guard let current = registry.current else { stopForMisuse("\(self) is read after its end") }
    return unsafe unsafeDowncast(current, to: Publication<Value>.self)
  }

  /// How long loaded data counts as fresh. Nil: forever.
  public var staleAfter: Duration? { freshness?.staleAfter }

  /// Whether the state is loaded and its data is at least as old as ``staleAfter``.
  ///
  /// Becoming stale publishes nothing (5.06).
  public var isStale: Bool {
    let current = current
    return current.phase == .loaded && freshness?.isStale(since: current.freshSince) ?? false
  }

  /// How old the data of one of this publisher's publications is, or its previous data (5.06).
  ///
  /// - Returns: Nil if there is no data or no ``staleAfter``, or if `setState` or `update` has put the data into a state that
  ///   isn't loaded.
  public func age(of publication: Publication<Value>) -> Duration? {
    publication.freshSince.flatMap { freshness?.age(since: $0) }
  }

  /// The number of living subscriptions, including sequences that are being iterated.
  ///
  /// - Complexity: O(n) in the number of subscriptions.
  public var subscriberCount: Int { registry.subscriptions.count }

  /// The living subscriptions, for debugging, in no particular order.
  ///
  /// - Complexity: O(n) in the number of subscriptions.
  public var subscriptions: [Subscription] { registry.subscriptions }
}

/// Waiting.
extension Publisher {
  /// Returns the first loaded value from now on. If one is loaded now, returns it at once.
  ///
  /// Waiting doesn't keep the publisher alive.
  ///
  /// - Throws: The first error that is published, including the current one. `CancellationError` if the task is cancelled.
  ///   ``PublisherEnded`` if the publisher is released before it has a value.
  public consuming func value() async throws -> Value {
    let source = id
    let states = states()
    _ = consume self
    for await state in states {
      switch state {
      case .loaded(let value): return value
      case .error(let error, _): throw error
      case .unknown, .loading: continue
      }
    }
    try Task.checkCancellation()
    throw PublisherEnded(source: source)
  }

  /// Returns when every subscription of this moment has received or skipped everything up to the current version (3.07).
  ///
  /// A subscription that ends doesn't hold it up, even if its context is blocked: dead subscribers are looked for 20 times a
  /// second. (On contexts that only run when a test tells them to, they are noticed then.) A sequence has received a state
  /// when its `next()` returns it, so don't call this inside the loop over a sequence. Returns early if the task is cancelled.
  public func drain() async { await registry.drain() }

  /// Returns when every subscription of this moment has received or skipped everything up to the current version, and throws
  /// if that takes too long (3.07). For a graceful shutdown, for example.
  ///
  /// Returns early if the task is cancelled, as ``drain()`` does: check `Task.isCancelled` if you need to tell.
  ///
  /// - Parameters:
  ///   - limit: How long to wait. A hundred years or more: as long as it takes.
  ///   - clock: Measures the limit.
  /// - Throws: ``DrainTimedOut`` at the limit, with the subscriptions that are late. If the clock fails, its error.
  public func drain(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
    let late = try await registry.drain(within: limit, clock: clock)
    if !late.isEmpty { throw DrainTimedOut(limit: limit, subscriptions: late) }
  }

  /// Turns off the timer that looks for dead subscribers, for tests in which a seed decides everything.
  package func neverLookForDead() { registry.turn { $0.isLookingForDead = true } }
}

/// The error of ``Publisher/drain(within:clock:)`` at its limit.
public struct DrainTimedOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// How long the call has waited.
  public let limit: Duration
  /// The subscriptions that had a state pending or under way.
  public let subscriptions: [Subscription]

  /// Creates the error, for tests of code that has to expect it.
  public init(limit: Duration, subscriptions: [Subscription]) {
    self.limit = limit
    self.subscriptions = subscriptions
  }

  /// Which subscriptions are late, in words.
  public var description: String {
    "after \(limit) these subscriptions are late: " + subscriptions.map(\.description).joined(separator: "; ")
  }
}

extension Publisher: CustomStringConvertible {
  /// The label, the version and the state, for logs.
  public var description: String { "Publisher<\(Value.self)>(\(current))" }
}
