/// The loaded values of a publisher, beginning with the current one if one is loaded. The same as `StateSequence`
/// otherwise: states of other phases are taken and passed over.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// What it gives.
  public typealias Element = Value
  /// It doesn't throw: an error is a state.
  public typealias Failure = Never

  private let states: StateSequence<Value>

  init(_ states: StateSequence<Value>) { self.states = states }

  /// Subscribes now, not at the first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(states.makeAsyncIterator()) }
}

extension ValueSequence {
  /// Takes one loaded value after the other. See `StateSequence.Iterator`.
  public struct Iterator: AsyncIteratorProtocol {
    private var states: StateSequence<Value>.Iterator

    init(_ states: StateSequence<Value>.Iterator) { self.states = states }

    /// The next loaded value; waits for it. Nil at the end, and when the task is cancelled.
    public mutating func next() async -> Value? { await next(isolation: #isolation) }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      while let state = await states.next(isolation: actor) {
        if case .loaded(let value) = state { return value }
      }
      return nil
    }

    /// What was delivered, skipped, and waits, states of other phases included.
    public var statistics: Subscription.Statistics { states.statistics }
  }
}

extension ValueSequence: CustomStringConvertible {
  /// Whose values, and how they are buffered.
  public var description: String { states.description(of: "values") }
}
