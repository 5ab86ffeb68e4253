extension StatePublisher {
  /// Returns the states as an asynchronous sequence that begins with the current one.
  ///
  /// The sequence doesn't keep the publisher alive (3.06).
  ///
  /// - Parameters:
  ///   - buffering: How many states may be pending for each iterator.
  ///   - label: A name for logs and snapshots.
  /// - Returns: A sequence that any number of tasks can iterate.
  public func states(buffering: BufferingPolicy = .unbounded, label: String? = nil) -> StateSequence<Value> {
    PublisherSequence(_access.registry, "states", buffering: buffering, label: label) { { $0.state } }
  }

  /// Returns the loaded values as an asynchronous sequence that begins with the current one, if any.
  ///
  /// States in other phases take no place in the buffer. Under a bounded policy values may be skipped, but the newest
  /// value always arrives, whatever states follow it (6.04). The sequence doesn't keep the publisher alive (3.06).
  ///
  /// - Parameters:
  ///   - buffering: How many values may be pending for each iterator.
  ///   - label: A name for logs and snapshots.
  /// - Returns: A sequence that any number of tasks can iterate.
  public func values(buffering: BufferingPolicy = .unbounded, label: String? = nil) -> ValueSequence<Value> {
    PublisherSequence(_access.registry, "values", takes: .loadedStates, buffering: buffering, label: label) {
      { $0.state.value }
    }
  }

  /// Returns the publications as an asynchronous sequence that begins with the current one, or after one that a client
  /// has already received (6.05).
  ///
  /// A publication is a state with its version and its identifier. The sequence doesn't keep the publisher alive
  /// (3.06).
  ///
  /// With an `id`, each iterator begins with the publication that follows that one, if the publisher still holds it and
  /// all later ones, because of its `history`. Otherwise, it begins with the current one: if `id` comes from another
  /// publisher, from another process, or from before a restart, or if more would be pending than `.ending` allows. Ask
  /// ``PublisherSequence/Iterator/isResumed`` which it is. Data from before a `reset` isn't held. Under `.latest` and
  /// `.newest`, some of what follows may be skipped.
  ///
  /// For server-sent events, send `"\(publication.id)"` as each event's identifier, and read it from the request's
  /// `Last-Event-ID`:
  ///
  /// ```swift
  /// let id = PublicationID("17262863864732444738-42")
  /// for await publication in publisher.publications(after: id, buffering: .ending(100)) {
  ///   print("id: \(publication.id)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - id: The last publication that the client has received; nil for a new client.
  ///   - buffering: How many states may be pending for each iterator.
  ///   - label: A name for logs and snapshots.
  /// - Returns: A sequence that any number of tasks can iterate.
  /// - Complexity: O(*n*) for each iterator, in the number of publications that are pending when it is made. An `id`
  ///   that isn't held costs as little as none.
  public func publications(
    after id: PublicationID? = nil, buffering: BufferingPolicy = .unbounded, label: String? = nil
  ) -> PublicationSequence<Value> {
    PublisherSequence(_access.registry, "publications", buffering: buffering, label: label, after: id) { { $0 } }
  }
}

/// The states of a publisher, beginning with the current one.
public typealias StateSequence<Value: Sendable> = PublisherSequence<Value, LoadState<Value>>

/// The loaded values of a publisher, beginning with the current one if the state is `loaded`.
public typealias ValueSequence<Value: Sendable> = PublisherSequence<Value, Value>

/// The publications of a publisher, beginning with the current one.
public typealias PublicationSequence<Value: Sendable> = PublisherSequence<Value, Publication<Value>>

/// The states, values, or publications of a publisher, as an asynchronous sequence that begins with the current one.
///
/// ``StatePublisher/states(buffering:label:)``, ``StatePublisher/values(buffering:label:)``,
/// ``StatePublisher/publications(after:buffering:label:)``, ``StatePublisher/changes(buffering:label:)`` and
/// ``StatePublisher/subscriberCounts`` return one. It never throws: an error is a state.
///
/// Any number of tasks may iterate it, each with an iterator of its own (6.01). The sequence doesn't keep the publisher
/// alive (3.06). When the publisher is finished or released, each iterator gives what is pending and then ends. An
/// iterator that is made afterward gives the last state, value, or publication, and then ends (6.03).
public struct PublisherSequence<Value: Sendable, Element: Sendable>: AsyncSequence, Sendable {
  /// The sequence never throws.
  public typealias Failure = Never

  private let storage: SequenceStorage
  private let makeElement: @Sendable () -> (Publication<Value>) -> Element?

  /// Creates a sequence; `makeElement` makes a function for each iterator, which turns states into elements.
  ///
  /// A state for which that function returns nil gives no element.
  init(
    _ registry: PublisherRegistry, _ name: StaticString, takes selection: DeliveryContext.Selection = .everyState,
    buffering: BufferingPolicy, label: String?, after id: PublicationID? = nil,
    _ makeElement: @escaping @Sendable () -> (Publication<Value>) -> Element?
  ) {
    storage = SequenceStorage(registry, name, takes: selection, buffering: buffering, label: label, after: id)
    self.makeElement = makeElement
  }

  @usableFromInline
  init(
    changesOf registry: PublisherRegistry, buffering: BufferingPolicy, label: String?,
    _ makeElement: @escaping @Sendable () -> (Publication<Value>) -> Element?
  ) {
    self.init(registry, "changes", buffering: buffering, label: label, makeElement)
  }

  /// The ``StatePublisher/id`` of the publisher.
  public var source: PublisherID { storage.registry.source }

  /// Makes an iterator, which subscribes now rather than at its first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(scope: storage.subscribe(as: Iterator.self), element: makeElement())
  }

  /// An iterator over the elements of a ``PublisherSequence``.
  ///
  /// The iterator is the subscriber: a delivery begins when `next()` takes a state and ends when it returns. Releasing
  /// the last copy unsubscribes and frees the buffer (6.02). All copies share one subscription; don't await `next()` in
  /// two tasks at once.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let scope: ScopedSubscription
    fileprivate let element: (Publication<Value>) -> Element?

    private var registry: PublisherRegistry { subscription.lane.registry }

    /// Waits for the next element.
    ///
    /// - Returns: The next element. Nil once the publisher has ended and nothing is pending, and at once if more is
    ///   pending than ``BufferingPolicy/ending(_:)`` allows (2.11). Also nil if the task or the ``subscription`` is
    ///   cancelled: a waiting call returns it at once; otherwise, the following call does. Cancellation frees the
    ///   buffer (6.02).
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next() async -> Element? { await next(isolation: #isolation) }

    /// Waits for the next element without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Returns: The next element, or nil as from `next()`.
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      while let publication = await registry.next(subscription) {
        if let element = element(Publication<Value>.from(publication)) { return element }
      }
      return nil
    }

    /// Takes the next element if its state is pending; never waits, and doesn't look whether the task is cancelled.
    package func takePending() -> Element? {
      while let publication = registry.takePending(for: subscription) {
        if let element = element(Publication<Value>.from(publication)) { return element }
      }
      return nil
    }

    /// Why the iteration has ended; nil as long as there may be another element (3.10).
    ///
    /// Read it when `next()` has returned nil.
    public var end: SubscriptionEnd? { subscription.end }

    /// Whether the iteration goes on after the publication that the client has already received (6.05).
    ///
    /// False if it begins with the current state: without an `id`, or because what follows isn't held. Known as soon as
    /// the iterator is made, so that a server can tell its client to forget what it has.
    public var isResumed: Bool { subscription.isResumed }

    /// The iterator's subscription, which still has its counts and its end when the iterator is gone.
    ///
    /// While the loop is busy with an element, other code can wait for the end: see ``Subscription/ended()``.
    public var subscription: Subscription { scope.subscription }

    /// The numbers of delivered, skipped, and pending elements.
    public var statistics: Subscription.Statistics { subscription.statistics }
  }
}

extension PublisherSequence: CustomStringConvertible {
  /// What the sequence gives, the publisher, and the buffering policy, for logs.
  public var description: String { storage.description }
}

extension PublisherSequence {
  /// Waits for the first loaded value, for a caller that mustn't hold the publisher.
  func firstValue() async throws -> Value where Element == LoadState<Value> {
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

/// The state that all copies of one sequence share.
///
/// While it lives, iterators can be made that give the last state, even after the publisher's end (6.03).
private final class SequenceStorage: Sendable, CustomStringConvertible {
  let registry: PublisherRegistry
  private let name: StaticString
  private let selection: DeliveryContext.Selection
  private let buffering: BufferingPolicy
  private let label: String?
  private let id: PublicationID?

  init(
    _ registry: PublisherRegistry, _ name: StaticString, takes selection: DeliveryContext.Selection,
    buffering: BufferingPolicy, label: String?, after id: PublicationID?
  ) {
    buffering.check(with: .iteration(of: selection))
    self.registry = registry
    self.name = name
    self.selection = selection
    self.buffering = buffering
    self.label = label
    self.id = id
    registry.retainLastState(andHistory: id != nil)
  }

  deinit { registry.releaseLastState(andHistory: id != nil) }

  /// Subscribes for an iterator, until its last copy is released.
  func subscribe(as iteratorType: Any.Type) -> ScopedSubscription {
    let subscriber = ScopedSubscription.Observer()
    let request = SubscriptionRequest(
      subscriber, ofType: iteratorType, through: SubscriberInterface(.closure), on: .iteration(of: selection),
      buffering: buffering, label: label, after: id
    ) { _, _ in }
    return ScopedSubscription(registry.subscribe(request), of: subscriber)
  }

  var description: String { "\(name) of \(registry.source), \(buffering)" }
}
