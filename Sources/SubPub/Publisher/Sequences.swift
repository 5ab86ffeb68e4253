extension Publisher {
  /// Returns the states as an asynchronous sequence that begins with the current one.
  ///
  /// - Parameter buffering: How many states may be pending for each iterator.
  /// - Returns: A sequence that any number of tasks can iterate.
  public func states(buffering: BufferingPolicy = .unbounded) -> StateSequence<Value> {
    StateSequence(registry, buffering: buffering)
  }

  /// Returns the loaded values as an asynchronous sequence that begins with the current one, if any.
  ///
  /// - Parameter buffering: How many values may be pending for each iterator.
  /// - Returns: A sequence that any number of tasks can iterate.
  public func values(buffering: BufferingPolicy = .unbounded) -> ValueSequence<Value> {
    ValueSequence(registry, buffering: buffering)
  }

  /// Returns the publications as an asynchronous sequence that begins with the current one.
  ///
  /// - Parameter buffering: How many states may be pending for each iterator.
  /// - Returns: A sequence that any number of tasks can iterate.
  public func publications(buffering: BufferingPolicy = .unbounded) -> PublicationSequence<Value> {
    PublicationSequence(registry, buffering: buffering)
  }
}

/// The states of a publisher, beginning with the current one.
///
/// Any number of tasks may iterate it, each with an iterator of its own (6.01). The sequence doesn't keep the publisher
/// alive (3.06). When the publisher is released, each iterator gives its pending states and then ends. An iterator that
/// is made afterwards gives the last state and then ends (6.03).
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A state.
  public typealias Element = LoadState<Value>
  /// The sequence never throws: an error is a state.
  public typealias Failure = Never

  private let storage: SequenceStorage

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    storage = SequenceStorage(registry, takes: .everyState, buffering: buffering)
  }

  /// The ``Publisher/id`` of the publisher.
  public var source: PublisherID { storage.registry.source }

  /// Makes an iterator, which subscribes now rather than at its first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: storage.makeReader(for: Iterator.self)) }

  /// An iterator over the states of a publisher.
  ///
  /// The iterator is the subscriber: a delivery begins when `next()` takes a state and ends when it returns. Releasing
  /// the last copy unsubscribes and frees the buffer (6.02). All copies share one subscription; don't await `next()` in
  /// two tasks at once.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: SequenceReader

    /// Waits for the next state.
    ///
    /// - Returns: The next state. Nil once the publisher has ended and nothing is pending, and if the task is
    ///   cancelled: a waiting call returns at once, otherwise the following call returns nil. Cancellation frees the
    ///   buffer (6.02).
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next() async -> LoadState<Value>? { await next(isolation: #isolation) }

    /// Waits for the next state without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Returns: The next state, or nil as from `next()`.
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LoadState<Value>? {
      await reader.next().map { Publication<Value>.from($0).state }
    }

    /// The numbers of delivered, skipped, and pending states.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

/// The loaded values of a publisher, beginning with the current one if the state is `loaded`.
///
/// States in other phases take no place in the buffer. Under a bounded policy values may be skipped, but the newest
/// value always arrives, whatever states follow it (6.04). Everything else is as with ``StateSequence``.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A loaded value.
  public typealias Element = Value
  /// The sequence never throws: it skips errors.
  public typealias Failure = Never

  private let storage: SequenceStorage

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    storage = SequenceStorage(registry, takes: .loadedStates, buffering: buffering)
  }

  /// The ``Publisher/id`` of the publisher.
  public var source: PublisherID { storage.registry.source }

  /// Makes an iterator, which subscribes now rather than at its first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: storage.makeReader(for: Iterator.self)) }

  /// An iterator over the loaded values of a publisher; see ``StateSequence/Iterator``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: SequenceReader

    /// Waits for the next loaded value.
    ///
    /// - Returns: The next loaded value, or nil at the end and if the task is cancelled.
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next() async -> Value? { await next(isolation: #isolation) }

    /// Waits for the next loaded value without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Returns: The next loaded value, or nil as from `next()`.
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await reader.next().flatMap { Publication<Value>.from($0).state.value }
    }

    /// The numbers of delivered, skipped, and pending values.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

/// The publications of a publisher, beginning with the current one.
///
/// A publication is a state with its version, which can serve as an event identifier, for example. Everything else is
/// as with ``StateSequence``.
public struct PublicationSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A publication: a state and its version.
  public typealias Element = Publication<Value>
  /// The sequence never throws: an error is a state.
  public typealias Failure = Never

  private let storage: SequenceStorage

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    storage = SequenceStorage(registry, takes: .everyState, buffering: buffering)
  }

  /// The ``Publisher/id`` of the publisher.
  public var source: PublisherID { storage.registry.source }

  /// Makes an iterator, which subscribes now rather than at its first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: storage.makeReader(for: Iterator.self)) }

  /// An iterator over the publications of a publisher; see ``StateSequence/Iterator``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: SequenceReader

    /// Waits for the next publication.
    ///
    /// - Returns: The next publication, or nil at the end and if the task is cancelled.
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next() async -> Publication<Value>? { await next(isolation: #isolation) }

    /// Waits for the next publication without leaving the caller's actor.
    ///
    /// - Parameter actor: The caller's actor.
    /// - Returns: The next publication, or nil as from `next()`.
    /// - Precondition: No other task is waiting for the same iterator.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Publication<Value>? {
      await reader.next().map { Publication<Value>.from($0) }
    }

    /// Ends the iteration: a task that waits in `next()` receives nil.
    package func end() { reader.subscription.cancel() }

    /// The subscription, which counts on when the iterator is gone.
    package var subscription: Subscription { reader.subscription }

    /// The numbers of delivered, skipped, and pending states.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

extension StateSequence: CustomStringConvertible {
  /// The publisher and the buffering policy, for logs.
  public var description: String { "states of \(storage)" }
}

extension ValueSequence: CustomStringConvertible {
  /// The publisher and the buffering policy, for logs.
  public var description: String { "values of \(storage)" }
}

extension PublicationSequence: CustomStringConvertible {
  /// The publisher and the buffering policy, for logs.
  public var description: String { "publications of \(storage)" }
}

/// The state that all copies of one sequence share.
///
/// While it lives, iterators can be made that give the last state, even after the publisher's end (6.03).
private final class SequenceStorage: Sendable, CustomStringConvertible {
  let registry: PublisherRegistry
  private let selection: DeliveryContext.Selection
  private let buffering: BufferingPolicy

  init(_ registry: PublisherRegistry, takes selection: DeliveryContext.Selection, buffering: BufferingPolicy) {
    buffering.checkCapacity()
    self.registry = registry
    self.selection = selection
    self.buffering = buffering
    registry.retainLastState()
  }

  deinit { registry.releaseLastState() }

  func makeReader(for iteratorType: Any.Type) -> SequenceReader {
    SequenceReader(registry, takes: selection, buffering: buffering, iteratorType: iteratorType)
  }

  var description: String { "\(registry.source), \(buffering)" }
}

/// The state that all copies of one iterator share; the subscription ends with it.
private final class SequenceReader: Sendable {
  let subscription: Subscription
  private let registry: PublisherRegistry
  /// The subscriber, which the subscription holds weakly.
  private let subscriber = Subscriber()

  private final class Subscriber: Sendable {}

  init(
    _ registry: PublisherRegistry, takes selection: DeliveryContext.Selection, buffering: BufferingPolicy,
    iteratorType: Any.Type
  ) {
    self.registry = registry
    subscription = registry.subscribe(
      SubscriptionRequest(
        subscriber, ofType: iteratorType, through: SubscriberInterface(.closure), on: .iteration(of: selection),
        buffering: buffering
      ) { _, _ in })
  }

  deinit { subscription.cancel() }

  func next() async -> (any BoxedPublication)? { await registry.next(subscription) }
}
