extension Publisher {
  /// Every state as an asynchronous sequence, beginning with the current one.
  ///
  /// - Parameter buffering: How many states may be pending for each iterator.
  public func states(buffering: BufferingPolicy = .unbounded) -> StateSequence<Value> {
    StateSequence(registry, buffering: buffering)
  }

  /// Every loaded value as an asynchronous sequence, beginning with the current one if the state is loaded.
  ///
  /// - Parameter buffering: How many values may be pending for each iterator.
  public func values(buffering: BufferingPolicy = .unbounded) -> ValueSequence<Value> {
    ValueSequence(registry, buffering: buffering)
  }

  /// Every state with its version and origin as an asynchronous sequence, beginning with the current one.
  ///
  /// - Parameter buffering: How many states may be pending for each iterator.
  public func publications(buffering: BufferingPolicy = .unbounded) -> PublicationSequence<Value> {
    PublicationSequence(registry, buffering: buffering)
  }
}

/// Every state of a publisher, beginning with the current one.
///
/// Any number of tasks may iterate it, each with an iterator of its own (6.01). The sequence doesn't keep the publisher alive
/// (3.06). When that is released, each iterator gives what is pending and then ends. An iterator that is made after the end
/// gives the last state and then ends (6.03).
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A state.
  public typealias Element = LoadState<Value>
  /// The sequence doesn't throw: an error is a state.
  public typealias Failure = Never

  private let storage: SequenceStorage

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    storage = SequenceStorage(registry, takes: .everyState, buffering: buffering)
  }

  /// The publisher's ``Publisher/id``.
  public var source: PublisherID { storage.registry.source }

  /// Subscribes now, and not at the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: storage.makeReader(for: Iterator.self)) }

  /// Takes one state after the other.
  ///
  /// The iterator is the subscriber: a delivery begins when `next()` takes a state, and ends when it returns. Releasing the
  /// last copy unsubscribes and frees its buffer (6.02). Copies share one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: SequenceReader

    /// Waits for the next state.
    ///
    /// - Returns: Nil once the publisher has ended and nothing is pending. Nil as well if the task is cancelled: at once while
    ///   it waits, otherwise at the following call. The buffer is freed then (6.02).
    public mutating func next() async -> LoadState<Value>? { await next(isolation: #isolation) }

    /// Waits for the next state, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LoadState<Value>? {
      await reader.next().map { Publication<Value>.from($0).state }
    }

    /// How many states were delivered, were skipped, and are pending.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

/// Every loaded value of a publisher, beginning with the current one if the state is loaded.
///
/// States of other phases take no place in the buffer. So under a bounded policy values may be skipped, but the newest one
/// always comes, whatever states follow it (6.04). Everything else is as with ``StateSequence``.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A loaded value.
  public typealias Element = Value
  /// The sequence doesn't throw.
  public typealias Failure = Never

  private let storage: SequenceStorage

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    storage = SequenceStorage(registry, takes: .loadedStates, buffering: buffering)
  }

  /// The publisher's ``Publisher/id``.
  public var source: PublisherID { storage.registry.source }

  /// Subscribes now, and not at the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: storage.makeReader(for: Iterator.self)) }

  /// Takes one loaded value after the other. See ``StateSequence/Iterator``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: SequenceReader

    /// Waits for the next loaded value.
    ///
    /// - Returns: Nil at the end, and if the task is cancelled.
    public mutating func next() async -> Value? { await next(isolation: #isolation) }

    /// Waits for the next loaded value, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await reader.next().flatMap { Publication<Value>.from($0).state.value }
    }

    /// How many values were delivered, were skipped, and are pending.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

/// Every publication of a publisher, beginning with the current one: states with their versions.
///
/// For event identifiers, for example. Everything else is as with ``StateSequence``.
public struct PublicationSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A state with its version.
  public typealias Element = Publication<Value>
  /// The sequence doesn't throw: an error is a state.
  public typealias Failure = Never

  private let storage: SequenceStorage

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    storage = SequenceStorage(registry, takes: .everyState, buffering: buffering)
  }

  /// The publisher's ``Publisher/id``.
  public var source: PublisherID { storage.registry.source }

  /// Subscribes now, and not at the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: storage.makeReader(for: Iterator.self)) }

  /// Takes one publication after the other. See ``StateSequence/Iterator``.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: SequenceReader

    /// Waits for the next publication.
    ///
    /// - Returns: Nil at the end, and if the task is cancelled.
    public mutating func next() async -> Publication<Value>? { await next(isolation: #isolation) }

    /// Waits for the next publication, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Publication<Value>? {
      await reader.next().map { Publication<Value>.from($0) }
    }

    /// How many states were delivered, were skipped, and are pending.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

extension StateSequence: CustomStringConvertible {
  /// The publisher and the buffering policy.
  public var description: String { "states of \(storage)" }
}

extension ValueSequence: CustomStringConvertible {
  /// The publisher and the buffering policy.
  public var description: String { "values of \(storage)" }
}

extension PublicationSequence: CustomStringConvertible {
  /// The publisher and the buffering policy.
  public var description: String { "publications of \(storage)" }
}

/// What all copies of one sequence share. While it lives, iterators can be made that give the last state, even after the
/// publisher's end (6.03).
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

/// What all copies of one iterator share. When the last copy is released, the subscription ends.
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
