// As in StatePublisher+Mistakes.swift.

extension Publisher {
  /// For the message about a value without its label.
  @available(*, unavailable, message: "the first value has a label: `Publisher(initial: …)`")
  @_disfavoredOverload
  public convenience init(_ initial: Value, label: String? = nil) { neverCalled() }
}

extension ReadOnlyPublisher {
  /// For the message about the property that makes one.
  @available(*, unavailable, message: "a publisher makes one: `publisher.readOnly`")
  @_disfavoredOverload
  public convenience init(_ publisher: Publisher<Value>) { neverCalled() }
}

/// For the message about a loop over a publisher, and about functions of sequences, such as `filter` and an `await` in
/// `map`.
@available(
  *, unavailable,
  message: "a publisher isn't a sequence: use `publisher.states()`, `publisher.values()`, or `publisher.publications()`"
)
extension Publisher: AsyncSequence {
  /// What a function of sequences would give.
  public typealias Element = Value

  /// For the message about a loop.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator { neverCalled() }
}

/// For the message about a loop over a publisher.
@available(
  *, unavailable,
  message: "a publisher isn't a sequence: use `publisher.states()`, `publisher.values()`, or `publisher.publications()`"
)
extension ReadOnlyPublisher: AsyncSequence {
  /// What a function of sequences would give.
  public typealias Element = Value

  /// For the message about a loop.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator { neverCalled() }
}
