/// Every state of a publisher, beginning with the current one, as an asynchronous sequence.
///
/// Any number of tasks may iterate it, each on its own (rule 6.01). It doesn't keep the publisher alive (rule 3.06): when
/// that is released, each iterator gives what is pending and then ends; one that is made after the end gives the
/// last state and then ends (rule 6.03).
public struct StateSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = LoadState<Value>
  /// It doesn't throw: an error is a state.
  public typealias Failure = Never

  private let tail: SequenceTail
  private let buffering: BufferingPolicy

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
    buffering.checkCapacity()
    tail = SequenceTail(registry)
    self.buffering = buffering
  }

  /// The publisher's id.
  public var source: PublisherID { tail.registry.source }

  /// Subscribes now, not at the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(tail.registry, buffering: buffering) }
}

extension StateSequence {
  /// Takes one state after the other. It is the subscriber: a delivery begins when `next()` takes a state, and ends when
  /// it returns.
  ///
  /// Releasing the last copy of it unsubscribes and frees its buffer (rule 6.02). Copies share one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: StateReader

    init(_ registry: PublisherRegistry, buffering: BufferingPolicy) {
      reader = StateReader(registry, buffering: buffering, iteratorType: Iterator.self)
    }

    /// The next state; waits for it. Nil once the publisher has ended and nothing is pending, and when the task is
    /// cancelled: at once if it waits, otherwise at the following call, and the buffer is dropped then (rule 6.02).
    public mutating func next() async -> LoadState<Value>? {
      guard let state = await reader.next() else { return nil }
      return Publication<Value>.from(state).state
    }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LoadState<Value>? {
      guard let state = await reader.next() else { return nil }
      return Publication<Value>.from(state).state
    }

    /// What was delivered, skipped, and waits.
    public var statistics: Subscription.Statistics { reader.subscription.statistics }
  }
}

extension StateSequence: CustomStringConvertible {
  /// Whose states, and how they are buffered.
  public var description: String { description(of: "states") }

  func description(of elements: String) -> String { "\(elements) of \(source), \(buffering)" }
}
