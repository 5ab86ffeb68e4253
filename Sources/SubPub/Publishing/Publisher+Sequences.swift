extension Publisher {
  /// Every state, beginning with the current one. An iterator subscribes when it is made.
  public func states(buffering: BufferingPolicy = .unbounded) -> StateSequence<Value> {
    StateSequence(registry, buffering: buffering)
  }

  /// The loaded values, beginning with the current one if one is loaded.
  public func values(buffering: BufferingPolicy = .unbounded) -> ValueSequence<Value> {
    ValueSequence(states(buffering: buffering))
  }
}
