/// A view of a publisher that can be read, subscribed to, and derived from, but not changed.
///
/// Hand it out if nobody else should change the state, or derive one from other publishers:
///
/// ```swift
/// let headlines = publisher.readOnly
/// let count = publisher.map(label: "count") { $0.count }
/// let both = combining(headlines, count)
/// ```
///
/// A read-only publisher has every operation of a ``Publisher`` that doesn't publish, with the same rules: see
/// ``StatePublisher``. Each costs the same, except for ``StatePublisher/isStale`` and ``StatePublisher/age(of:)`` of
/// derived publishers.
///
/// It holds its publisher. If it is derived, by ``StatePublisher/map(label:on:buffering:_:)``, `combining`, and the
/// like, it also holds its sources, and they don't hold it (5.22). Keep it for as long as you need it. When it is
/// released, its subscriptions at its sources end. Its own subscribers receive what is pending, and then their
/// subscriptions end (3.06). If a source is delivering to it at that moment, what the delivery needs is released
/// afterward (3.05).
public final class ReadOnlyPublisher<Value: Sendable>: StatePublisher {
  /// What reading and subscribing need of this publisher.
  public let _access: StateAccess<Value>
  /// The publisher, which ends when it is released.
  private let publisher: any StatePublisher<Value>
  #if DEBUG
    private let abandonment: Abandonment?
    deinit { abandonment?.end(_access.registry, of: Value.self) }
  #endif

  @usableFromInline
  init(_ publisher: some StatePublisher<Value>) {
    self.publisher = publisher
    _access = publisher._access
    #if DEBUG
      abandonment = nil
    #endif
  }

  /// Creates a derived publisher.
  @usableFromInline
  init(_ target: Publisher<Value>, _ derivation: Derivation) {
    publisher = target
    _access = StateAccess(target.registry, target.freshness, derivation)
    #if DEBUG
      abandonment = Abandonment(target.registry)
    #endif
  }
}

extension StatePublisher {
  /// The same publisher, without the operations that change it.
  ///
  /// Each call makes a new object, which holds this publisher and has the same identity, state, versions, and
  /// subscriptions.
  @inlinable public var readOnly: ReadOnlyPublisher<Value> { ReadOnlyPublisher(self) }
}

extension ReadOnlyPublisher: CustomStringConvertible {
  /// The label, the version, and the state, for logs.
  public var description: String { "ReadOnlyPublisher<\(Value.self)>(\(current))" }
}
