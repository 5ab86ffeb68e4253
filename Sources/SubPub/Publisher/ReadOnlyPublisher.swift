/// A view of a publisher that can be read, subscribed to, and derived from, but not changed.
///
/// Hand it out if nobody else should change the state, or make one from other publishers:
///
/// ```swift
/// let headlines = publisher.readOnly
/// let count = publisher.map(label: "count") { $0.count }
/// let both = combining(headlines, count)
/// ```
///
/// Every operation of ``Publisher`` that doesn't publish is here, too, with the same rules. Except for ``isStale`` and
/// ``age(of:)`` of derived publishers, it costs the same.
///
/// A read-only publisher holds its publisher. If it is derived, by ``map(label:_:)``,
/// ``map(label:removingDuplicates:_:)``, or ``combining(label:_:)``, it also holds its sources, and they don't hold it
/// (5.22). Keep it for as long as you need it. When it is released, its subscriptions at its sources end. Its own
/// subscribers receive what is pending, and then their subscriptions end (3.06). If a source is delivering to it at
/// that moment, what the delivery needs is released afterward (3.05).
public final class ReadOnlyPublisher<Value: Sendable>: Sendable {
  @usableFromInline let publisher: Publisher<Value>
  /// What the publisher is derived from; nil if its owner publishes.
  let derivation: Derivation?

  @usableFromInline
  init(_ publisher: Publisher<Value>, derivation: Derivation? = nil) {
    self.publisher = publisher
    self.derivation = derivation
  }
}

extension Publisher {
  /// The same publisher, without its transitions.
  ///
  /// Each call makes a new object, which holds this publisher and has the same identity, state, versions, and
  /// subscriptions.
  @inlinable public var readOnly: ReadOnlyPublisher<Value> { ReadOnlyPublisher(self) }
}

/// Reading.
extension ReadOnlyPublisher {
  /// Identifies the publisher in its publications and subscriptions.
  @inlinable public var id: PublisherID { publisher.id }

  /// The name that the publisher was created with.
  public var label: String? { publisher.label }

  /// The current state.
  ///
  /// A derived publisher follows its source: see ``map(label:_:)``.
  @inlinable public var state: LoadState<Value> { publisher.state }

  /// The current state and its version, read together (1.01).
  @inlinable public var current: Publication<Value> { publisher.current }

  /// How long loaded data counts as fresh; nil if it never becomes stale.
  ///
  /// With `map`, this is the source's. It is nil for combined publishers.
  public var staleAfter: Duration? { publisher.staleAfter }

  /// Whether the data at hand, previous data included, is stale (5.06, 5.15).
  ///
  /// Without data, the answer is false. The data of a derived publisher is stale if that of one of its sources is. It
  /// also reflects changes that publish nothing at a source: a `staleAfter` that has passed, a
  /// ``LoadingManager/invalidate()``, or a load that has found the data unchanged. Reads the clocks of all sources.
  ///
  /// - Complexity: O(*n*) in the number of ways that lead to it from other publishers.
  public var isStale: Bool {
    guard let derivation else { return publisher.isStale }
    return current.state.value != nil && derivation.sources.contains(where: \.isStale)
  }

  /// Returns the age of a publication's data, or of its previous data (5.06).
  ///
  /// - Parameter publication: A publication of this publisher.
  /// - Returns: The age, as from ``Publisher/age(of:)``. With `map`, data has the age of the source's data. Nil for
  ///   combined publishers.
  public func age(of publication: Publication<Value>) -> Duration? {
    if let source = derivation?.ageSource, publication.origin != nil, publisher.registry.current === publication,
      let age = source.currentAge
    {
      return age
    }
    return publisher.age(of: publication)
  }

  /// The number of living subscriptions, including sequences that are being iterated and derived publishers.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  public var subscriberCount: Int { publisher.subscriberCount }

  /// The living subscriptions, in no particular order, for debugging.
  ///
  /// They include those of derived publishers: if you cancel one, that publisher doesn't change any more.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions.
  public var subscriptions: [Subscription] { publisher.subscriptions }
}

/// Waiting.
extension ReadOnlyPublisher {
  /// Waits for the first loaded value from now on.
  ///
  /// Returns at once if a value is loaded now. Waiting doesn't keep the publisher alive, so keep a derived publisher
  /// until the call has returned.
  ///
  /// - Returns: The loaded value.
  /// - Throws: The first error that is published, including the current one; `CancellationError` if the task is
  ///   cancelled; ``PublisherEnded`` if the publisher is released before it has a value.
  public consuming func value() async throws -> Value {
    if current.phase == .loading { publisher.registry.stopIfAwaitedByOwner() }
    let states = states()
    _ = consume self
    return try await states.firstValue()
  }

  /// Waits until every subscription has received or skipped everything published so far (3.07).
  ///
  /// A state of a source counts once it has arrived at this publisher. To include what is on its way, drain the source
  /// first.
  ///
  /// See ``Publisher/drain()``.
  @inlinable public func drain() async { await publisher.drain() }

  /// Waits as ``drain()`` does, but throws if that takes too long (3.07).
  ///
  /// - Parameters:
  ///   - limit: How long to wait. With a hundred years or more, there is no limit.
  ///   - clock: Measures the limit.
  /// - Throws: ``DrainTimedOut`` at the limit, with the subscriptions that are late. The clock's error if the clock
  ///   fails.
  @inlinable
  public func drain(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws {
    try await publisher.drain(within: limit, clock: clock)
  }
}

extension ReadOnlyPublisher: CustomStringConvertible {
  /// The label, the version, and the state, for logs.
  public var description: String { "ReadOnlyPublisher<\(Value.self)>(\(current))" }
}
