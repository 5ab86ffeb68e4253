/// Holds the state of one load and broadcasts every change of it to its subscribers.
///
/// A new publisher is `unknown`, at version 0. Every accepted change is a transition with a version one greater than the
/// last (rule 1.01), all of them in one order that is the same for every subscriber (rule 1.02). A newcomer gets the
/// current state first, and then everything that follows (rule 2.01).
///
/// Subscribers are held weakly. Every operation that isn't `async` may be called from any thread, task or actor
/// (rule 1.06); none waits for a subscriber (rule 1.05). Releasing the publisher lets what is pending be delivered, and
/// then ends its subscriptions and sequences (rule 3.06).
public final class Publisher<Value: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry
  @usableFromInline let freshness: Freshness?

  /// A publisher in the state `unknown`.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long loaded data counts as fresh. Nil: for ever, and the clock is not read. Negative is a
  ///     programmer's error.
  ///   - clock: What `staleAfter` is measured on. Read only if there is a `staleAfter`, and under no lock (rule 5.06).
  public init(label: String? = nil, staleAfter: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()) {
    let id = PublisherID(label: label)
    freshness = staleAfter.map { Freshness(staleAfter: $0, clock: clock) }
    registry = PublisherRegistry(id, initial: Publication<Value>(.unknown, source: id, freshSince: nil))
  }

  #if DEBUG
    /// With a scheduling point before each turn, for tests that draw from a seed who is next.
    package init(staleAfter: Duration?, clock: any Clock<Duration>, beforeTurn: @escaping @Sendable () -> Void) {
      let id = PublisherID(label: nil)
      freshness = staleAfter.map { Freshness(staleAfter: $0, clock: clock) }
      registry = PublisherRegistry(
        id, initial: Publication<Value>(.unknown, source: id, freshSince: nil),
        executor: RegistryExecutor(beforeTurn: beforeTurn))
    }
  #endif

  deinit { registry.end() }

  /// Names this publisher in what it publishes.
  @inlinable public var id: PublisherID { registry.source }

  /// The name that it was given.
  public var label: String? { id.label }
}

extension Publisher {
  /// The current state.
  @inlinable public var state: LoadState<Value> { current.state }

  /// The current state and its version, read together (rule 1.01).
  @inlinable public var current: Publication<Value> {
    guard let current = registry.current else { stopForMisuse("\(self) is read after its end") }
    return unsafe unsafeDowncast(current, to: Publication<Value>.self)
  }

  /// How long loaded data counts as fresh; nil: for ever.
  public var staleAfter: Duration? { freshness?.staleAfter }

  /// Whether the state is `loaded` and its data as old as `staleAfter`, or older. Becoming stale publishes nothing (rule 5.06).
  public var isStale: Bool {
    let current = current
    return current.phase == .loaded && freshness?.isStale(since: current.freshSince) ?? false
  }

  /// How old the data of a publication of this publisher is by now, the previous data of `loading` and `error` included;
  /// nil without data, for data that `setState` or `update` put into such a state, and without `staleAfter` (rule 5.06).
  public func age(of publication: Publication<Value>) -> Duration? {
    publication.freshSince.flatMap { freshness?.age(since: $0) }
  }

  /// How many subscribers live, sequences that are being iterated included. Looks at each of them.
  public var subscriberCount: Int { registry.subscriptions.count }

  /// Who listens, for debugging, in no particular order. Looks at each of them.
  public var subscriptions: [Subscription] { registry.subscriptions }
}

extension Publisher: CustomStringConvertible {
  /// The label, the version and the state, for logs.
  public var description: String { "Publisher<\(Value.self)>(\(current))" }
}
