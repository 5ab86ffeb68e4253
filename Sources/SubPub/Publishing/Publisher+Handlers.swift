// Subscribers without a protocol: a closure that is handed the subscriber, or one of its methods. The closure needn't
// capture the subscriber, so there is nothing to retain by mistake. Each call is a subscription of its own.

extension Publisher {
  /// Calls `handler` with the object and the state, on `delivery`, as long as the object lives.
  ///
  /// The current state comes first (rule 2.01). The object is held weakly (rule 2.05), the closure until the
  /// subscription ends (rule 3.05).
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on delivery: Delivery, buffering: BufferingPolicy = .unbounded,
    handler: @escaping @Sendable (S, LoadState<Value>) -> Void
  ) -> Subscription {
    registry.subscribe(
      Enrolment(subscriber, as: .handler, on: delivery, buffering: buffering) { object, state in
        handler(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(state).state)
      })
  }

  /// Calls a method of the object with the state, on `delivery`, as long as the object lives: `calling: Log.write`.
  ///
  /// The current state comes first (rule 2.01); the object is held weakly (rule 2.05).
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on delivery: Delivery, buffering: BufferingPolicy = .unbounded,
    calling method: @escaping @Sendable (S) -> (LoadState<Value>) -> Void
  ) -> Subscription {
    subscribe(subscriber, on: delivery, buffering: buffering) { method($0)($1) }
  }

  /// Calls `handler` with the object and the state on the main actor, as long as the object lives.
  ///
  /// The current state comes first (rule 2.01); the object is held weakly (rule 2.05).
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded,
    handler: @escaping @MainActor (S, LoadState<Value>) -> Void
  ) -> Subscription {
    // Isolated to the main actor, where this lane is drained; a closure of it is called like any other.
    let call = unsafe unsafeBitCast(handler, to: (@Sendable (S, LoadState<Value>) -> Void).self)
    return registry.subscribe(
      Enrolment(subscriber, as: .handlerOnMainActor, on: .main, buffering: buffering) { object, state in
        call(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(state).state)
      })
  }

  /// Calls a method of the object with the state on the main actor, as long as the object lives: `calling: Screen.show`.
  ///
  /// The current state comes first (rule 2.01); the object is held weakly (rule 2.05).
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded,
    calling method: @escaping @MainActor (S) -> @MainActor (LoadState<Value>) -> Void
  ) -> Subscription {
    subscribe(subscriber, buffering: buffering) { method($0)($1) }
  }

  /// Calls `handler` with the actor and the state, isolated to the actor, as long as it lives.
  ///
  /// The current state comes first (rule 2.01); the actor is held weakly (rule 2.05).
  @discardableResult @inlinable
  public func subscribe<A: Actor>(
    _ subscriber: A, buffering: BufferingPolicy = .unbounded,
    handler: @escaping @Sendable (isolated A, LoadState<Value>) -> Void
  ) -> Subscription {
    // The actor is the first argument either way; this lane is drained on the actor.
    let call = unsafe unsafeBitCast(handler, to: (@Sendable (A, LoadState<Value>) -> Void).self)
    return subscribe(subscriber, on: .actor(subscriber), buffering: buffering, handler: call)
  }

  /// Doesn't compile, on purpose: a method of the main actor runs on the main actor, so leave out `on:`.
  ///
  /// Without this overload the compiler would let the method's isolation go, and call it elsewhere.
  @available(*, deprecated, message: "a main-actor method runs on the main actor: leave out 'on:'")
  @available(*, noasync, message: "a main-actor method runs on the main actor: leave out 'on:'")
  @MainActorMethodsTakeNoDelivery @discardableResult
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on delivery: Delivery, buffering: BufferingPolicy = .unbounded,
    calling method: @escaping @Sendable (S) -> @MainActor (LoadState<Value>) -> Void
  ) -> Subscription {
    stopForMisuse("A method of the main actor runs on the main actor, not on \(delivery): leave out 'on:'")
  }

  /// Cancels every subscription of that object at this publisher, and says what it found (rule 3.02).
  ///
  /// May be called from the object's own `deinit`. Constant time, amortised.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: AnyObject) -> CancelOutcome { registry.unsubscribe(subscriber) }
}

extension Publication {
  /// The typed publication in a box that a publisher of this type has filled.
  @inlinable @inline(__always)
  static func from(_ state: any Stamped) -> Publication {
    unsafe unsafeDowncast(state, to: Publication.self)
  }
}
