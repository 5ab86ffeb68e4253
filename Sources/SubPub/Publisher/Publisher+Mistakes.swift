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

// A publisher is no sequence, and the message of this conformance says so: for a loop, and for a transform of `map`
// that throws or awaits, because then the compiler takes the `map` of sequences. Only a dynamic cast to a sequence
// isn't warned of: a loop over what it gives stops the program.

@available(
  *, unavailable,
  message: """
    a publisher isn't a sequence: iterate `publisher.states()`, `publisher.values()`, or `publisher.publications()`; \
    a transform that throws belongs in `mapState`, and none can await
    """
)
extension Publisher: AsyncSequence {
  /// What a function of sequences would give.
  public typealias Element = Value

  /// For the message about a loop.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator { neverCalled() }
}

@available(
  *, unavailable,
  message: """
    a publisher isn't a sequence: iterate `publisher.states()`, `publisher.values()`, or `publisher.publications()`; \
    a transform that throws belongs in `mapState`, and none can await
    """
)
extension ReadOnlyPublisher: AsyncSequence {
  /// What a function of sequences would give.
  public typealias Element = Value

  /// For the message about a loop.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator { neverCalled() }
}
