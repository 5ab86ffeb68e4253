// Declarations that are never called: their messages say what to write instead of code that doesn't compile.

extension StatePublisher {
  /// For the message about subscribers that aren't class instances.
  @available(
    *, unavailable,
    message:
      "only class instances and actors can subscribe, because they are held weakly: use one, or observe(on:handler:)"
  )
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on context: DeliveryContext = .main, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, handler: @escaping @Sendable (S, LoadState<Value>) -> Void
  ) -> Subscription { neverCalled() }

  /// For the message about a wrong label.
  @available(*, unavailable, message: "the label is `buffering:`")
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on context: DeliveryContext = .main, buffer: BufferingPolicy,
    ifDuplicate: DuplicatePolicy = .allow, handler: @escaping @Sendable (S, LoadState<Value>) -> Void
  ) -> Subscription { neverCalled() }
}

func neverCalled() -> Never { stopForMisuse("an unavailable function was called") }
