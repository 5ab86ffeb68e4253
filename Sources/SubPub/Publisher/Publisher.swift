/// An object that holds the state of one load and broadcasts every change of it.
///
/// A new publisher is ``LoadState/unknown``, at version 0. Every transition increases the version by one, even if the
/// new state equals the old one (1.01). All subscribers see the transitions in the same order (1.02). A new subscriber
/// receives the current state first and then every later one (2.01).
///
/// ```swift
/// let news = Publisher<[String]>(label: "news")
/// news.subscribe(screen) { screen, state in screen.title = "\(state)" }
/// news.startLoading()
/// news.updateData(["one", "two"])
/// ```
///
/// Subscribers are held weakly (2.05). You can call every operation that isn't `async` from any thread, task, or actor
/// (1.06); none of them waits for a subscriber (1.05). When the publisher is released, pending states are still
/// delivered, and then its subscriptions and sequences end (3.06).
public final class Publisher<Value: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry
  @usableFromInline let freshness: Freshness?

  /// Creates a publisher in the state ``LoadState/unknown``.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long loaded data counts as fresh; nil if it never becomes stale.
  ///   - clock: Measures `staleAfter`. Read while no lock is held, and only if `staleAfter` is set (5.06).
  /// - Precondition: `staleAfter` isn't negative.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(label: label, freshness: staleAfter.map { Freshness(staleAfter: $0, clock: clock) })
  }

  /// Creates a publisher whose data has the ages of another one's.
  @usableFromInline
  init(label: String?, freshness: Freshness?) {
    let id = PublisherID(label: label)
    self.freshness = freshness
    registry = PublisherRegistry(id, initial: Publication<Value>(.unknown, source: id, provenance: nil))
  }

  #if DEBUG
    /// Creates a publisher with scheduling points, for tests that decide which thread runs next.
    package init(staleAfter: Duration?, clock: any Clock<Duration>, schedulingPoints: SchedulingPoint.Maker) {
      let id = PublisherID(label: nil)
      freshness = staleAfter.map { Freshness(staleAfter: $0, clock: clock) }
      registry = PublisherRegistry(
        id, initial: Publication<Value>(.unknown, source: id, provenance: nil),
        schedulingPoints: schedulingPoints)
    }
  #endif

  deinit { registry.end() }
}

extension Publisher {
  /// Identifies this publisher in its publications and subscriptions.
  @inlinable public var id: PublisherID { registry.source }

  /// The name that the publisher was created with.
  public var label: String? { id.label }

  /// The current state.
  @inlinable public var state: LoadState<Value> { current.state }

  /// The current state and its version, read together (1.01).
  @inlinable public var current: Publication<Value> {
    guard let current = registry.current else { stopForMisuse("\(id) is read after its end") }
    return unsafe unsafeDowncast(current, to: Publication<Value>.self)
  }

  /// How long loaded data counts as fresh; nil if it never becomes stale.
  public var staleAfter: Duration? { freshness?.staleAfter }

  /// Whether the data at hand is at least as old as ``staleAfter``, or was invalidated by a manager.
  ///
  /// Previous data counts as well: during a load, and after an error, it is as stale as it was before. Without data,
  /// the answer is false. Reads the clock. Becoming stale publishes nothing (5.06, 5.15).
  public var isStale: Bool {
    guard let (box, validity) = registry.currentAndValidity else { return false }
    let current = Publication<Value>.from(box)
    guard current.state.value != nil else { return false }
    if validity.isInvalidated { return true }
    return freshness?.isStale(since: validity.freshSince(current.provenance)) ?? false
  }

  /// Returns the age of a publication's data, or of its previous data (5.06).
  ///
  /// - Parameter publication: A publication of this publisher.
  /// - Returns: The age on this publisher's clock. Nil without data, or without ``staleAfter``.
  public func age(of publication: Publication<Value>) -> Duration? {
    var validity = DataValidity()
    if let (current, known) = registry.currentAndValidity, current === publication { validity = known }
    return validity.freshSince(publication.provenance).flatMap { freshness?.age(since: $0) }
  }

  /// The number of living subscriptions, including sequences that are being iterated.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  public var subscriberCount: Int { registry.subscriptions.count }

  /// The living subscriptions, in no particular order, for debugging.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  public var subscriptions: [Subscription] { registry.subscriptions }
}

/// Waiting.
extension Publisher {
  /// Waits for the first loaded value from now on.
  ///
  /// Returns at once if a value is loaded now. Waiting doesn't keep the publisher alive.
  ///
  /// - Returns: The loaded value.
  /// - Throws: The first error that is published, including the current one; `CancellationError` if the task is
  ///   cancelled; ``PublisherEnded`` if the publisher is released before it has a value.
  public consuming func value() async throws -> Value {
    if current.phase == .loading { registry.stopIfAwaitedByOwner() }
    let states = states()
    _ = consume self
    return try await states.firstValue()
  }

  /// Waits until every subscription has received or skipped everything published so far (3.07).
  ///
  /// Only subscriptions that exist at the call count. One that ends doesn't hold it up, even if its context is blocked:
  /// dead subscribers are looked for 20 times a second. On contexts that run only when a test tells them to, dead
  /// subscribers are noticed when they run.
  ///
  /// A sequence has received a state when its `next()` returns it, so don't call this function inside the loop over a
  /// sequence of this publisher. Returns early if the task is cancelled.
  public func drain() async { await registry.drain() }

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
    let late = try await registry.drain(within: limit, clock: clock)
    if !late.isEmpty { throw DrainTimedOut(limit: limit, subscriptions: late) }
  }

  /// Turns off the timer that looks for dead subscribers, for tests in which a seed decides everything.
  package func neverLookForDead() { registry.turn { $0.isLookingForDead = true } }
}

extension StateSequence {
  /// Waits for the first loaded value, for a caller that mustn't hold the publisher.
  func firstValue() async throws -> Value {
    for await state in self {
      switch state {
      case .loaded(let value): return value
      case .error(let error, _): throw error
      case .unknown, .loading: continue
      }
    }
    try Task.checkCancellation()
    throw PublisherEnded(source: source)
  }
}

/// The error that ``Publisher/drain(within:clock:)`` throws at its limit.
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

extension Publisher: CustomStringConvertible {
  /// The label, the version, and the state, for logs.
  public var description: String { "Publisher<\(Value.self)>(\(current))" }
}
