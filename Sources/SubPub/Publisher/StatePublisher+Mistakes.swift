public import Dispatch

// Declarations that are never called: their messages say what to write instead of code that doesn't compile. A handler
// of theirs is isolated like the closures that it is given, so that no other error stands beside the message.

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

  /// For the message about a handler without an object.
  @available(*, unavailable, message: "without an object, `observe(on:)` takes the handler: keep what it returns")
  @_disfavoredOverload @discardableResult
  public func subscribe(
    on context: DeliveryContext, buffering: BufferingPolicy = .unbounded, label: String? = nil,
    handler: @escaping @MainActor (LoadState<Value>) -> Void
  ) -> Subscription { neverCalled() }

  /// For the message about a wrong label.
  @available(*, unavailable, message: "the label is `buffering:`")
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on context: DeliveryContext = .main, buffer: BufferingPolicy,
    ifDuplicate: DuplicatePolicy = .allow, handler: @escaping @Sendable (S, LoadState<Value>) -> Void
  ) -> Subscription { neverCalled() }

  /// For the message about the order of the arguments.
  @available(*, unavailable, message: "`on:` comes before `buffering:`")
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, buffering: BufferingPolicy, on context: DeliveryContext, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil, handler: @escaping @MainActor (S, LoadState<Value>) -> Void = { _, _ in }
  ) -> Subscription { neverCalled() }
}

/// Handlers that wait or throw.
extension StatePublisher {
  /// For the message about such a handler.
  @available(
    *, unavailable,
    message: """
      a handler neither awaits nor throws: to await, write `for await state in publisher.states() { … }` in a task; \
      errors: catch them in the handler
      """
  )
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on context: DeliveryContext = .main, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    handler: @escaping @MainActor (S, LoadState<Value>) async throws -> Void
  ) -> Subscription { neverCalled() }

  /// For the message about such a handler of an actor.
  @available(
    *, unavailable,
    message: """
      a handler neither awaits nor throws: to await, write `for await state in publisher.states() { … }` in a task; \
      errors: catch them in the handler
      """
  )
  @_disfavoredOverload @discardableResult
  public func subscribe<A: Actor>(
    _ subscriber: A, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil, handler: @escaping @Sendable (isolated A, LoadState<Value>) async throws -> Void
  ) -> Subscription { neverCalled() }

  /// For the message about such a handler of publications.
  @available(
    *, unavailable,
    message: """
      a handler neither awaits nor throws: to await, write `for await publication in publisher.publications() { … }` \
      in a task; errors: catch them in the handler
      """
  )
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on context: DeliveryContext = .main, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    publication: (@MainActor (S, Publication<Value>) async throws -> Void)?
  ) -> Subscription { neverCalled() }

  /// For the message about such a handler of an observation.
  @available(
    *, unavailable,
    message: """
      a handler neither awaits nor throws: to await, write `for await publication in publisher.publications() { … }` \
      in a task; errors: catch them in the handler
      """
  )
  @_disfavoredOverload
  public func observe(
    on context: DeliveryContext = .main, buffering: BufferingPolicy = .unbounded, label: String? = nil,
    handler: @escaping @MainActor (Publication<Value>) async throws -> Void
  ) -> ScopedSubscription { neverCalled() }
}

/// Queues that are given as contexts.
extension StatePublisher {
  /// For the message about a queue.
  @available(*, unavailable, message: "a queue's context is `.queue(queue)`, and the main queue's is `.main`")
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on queue: DispatchQueue, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    handler: @escaping @MainActor (S, LoadState<Value>) -> Void = { _, _ in }
  ) -> Subscription { neverCalled() }

  /// For the message about a queue, where publications are received.
  @available(*, unavailable, message: "a queue's context is `.queue(queue)`, and the main queue's is `.main`")
  @_disfavoredOverload @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on queue: DispatchQueue, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    publication: (@MainActor (S, Publication<Value>) -> Void)?
  ) -> Subscription { neverCalled() }

  /// For the message about a queue of an observation.
  @available(*, unavailable, message: "a queue's context is `.queue(queue)`, and the main queue's is `.main`")
  @_disfavoredOverload
  public func observe(
    on queue: DispatchQueue, buffering: BufferingPolicy = .unbounded, label: String? = nil,
    handler: @escaping @MainActor (Publication<Value>) -> Void
  ) -> ScopedSubscription { neverCalled() }
}
