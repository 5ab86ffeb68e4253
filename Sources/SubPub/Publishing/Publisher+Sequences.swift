extension Publisher {
  /// Every state, beginning with the current one. An iterator subscribes when it is made.
  public func states(buffering: BufferingPolicy = .unbounded) -> StateSequence<Value> {
    StateSequence(registry, buffering: buffering)
  }

  /// The loaded values, beginning with the current one if one is loaded. The buffer holds states of all phases: with a
  /// bound, a value may be overtaken by a later `loading`.
  public func values(buffering: BufferingPolicy = .unbounded) -> ValueSequence<Value> {
    ValueSequence(states(buffering: buffering))
  }
}
