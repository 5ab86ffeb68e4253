// Each function does what the function of `Publisher` with the same signature does, at no additional cost. Subscriptions
// hold neither the read-only publisher nor the publisher behind it.

/// Subscribing with a protocol.
extension ReadOnlyPublisher {
  /// Subscribes an object that receives states of any type.
  ///
  /// See ``Publisher/subscribe(_:on:buffering:ifDuplicate:)-(Subscriber,_,_,_)``.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states, held weakly (2.05).
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: ifDuplicate)
  }

  /// Subscribes a main-actor object that receives states of any type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states on the main actor, held weakly (2.05).
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.subscribe(subscriber, buffering: buffering, ifDuplicate: ifDuplicate)
  }

  /// Subscribes an object that receives states of this publisher's type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states, held weakly (2.05).
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: TypedSubscriber<Value>>(
    _ subscriber: S, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: ifDuplicate)
  }

  /// Subscribes a main-actor object that receives states of this publisher's type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states on the main actor, held weakly (2.05).
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: MainActorTypedSubscriber<Value>>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.subscribe(subscriber, buffering: buffering, ifDuplicate: ifDuplicate)
  }

  /// Cancels every subscription that an object has at this publisher.
  ///
  /// See ``Publisher/unsubscribe(_:)``.
  ///
  /// - Parameter subscriber: The object.
  /// - Returns: Whether a delivery was under way, and where (3.02).
  /// - Complexity: Amortized O(1) for each subscription of the object.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: AnyObject) -> CancelOutcome { publisher.unsubscribe(subscriber) }
}

/// Subscribing with a closure.
extension ReadOnlyPublisher {
  /// Subscribes an object with a closure that is isolated to the main actor.
  ///
  /// See ``Publisher/subscribe(_:on:buffering:ifDuplicate:handler:)-(_,MainActorContext,_,_,_)``.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states, held weakly (2.05).
  ///   - context: The main actor.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on context: MainActorContext = .main, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, handler: @escaping @MainActor (S, LoadState<Value>) -> Void
  ) -> Subscription {
    publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: ifDuplicate, handler: handler)
  }

  /// Subscribes an object with a closure.
  ///
  /// See ``Publisher/subscribe(_:on:buffering:ifDuplicate:handler:)-(_,DeliveryContext,_,_,_)``.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states, held weakly (2.05).
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, handler: @escaping @Sendable (S, LoadState<Value>) -> Void
  ) -> Subscription {
    publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: ifDuplicate, handler: handler)
  }

  /// Subscribes an actor with a closure that is isolated to it.
  ///
  /// - Parameters:
  ///   - subscriber: The actor that receives the states, held weakly (2.05).
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the actor has already subscribed with a closure (2.06).
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<A: Actor>(
    _ subscriber: A, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .allow,
    handler: @escaping @Sendable (isolated A, LoadState<Value>) -> Void
  ) -> Subscription {
    publisher.subscribe(subscriber, buffering: buffering, ifDuplicate: ifDuplicate, handler: handler)
  }

  /// Observes the publisher on the main actor until the returned object is released.
  ///
  /// The closure receives the current publication first (2.01).
  ///
  /// - Parameters:
  ///   - context: The main actor.
  ///   - buffering: How many states may be pending.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: An object that keeps the subscription. Releasing it cancels (3.08).
  @inlinable
  public func observe(
    on context: MainActorContext = .main, buffering: BufferingPolicy = .unbounded,
    handler: @escaping @MainActor (Publication<Value>) -> Void
  ) -> ScopedSubscription {
    publisher.observe(on: context, buffering: buffering, handler: handler)
  }

  /// Observes the publisher until the returned object is released.
  ///
  /// The closure receives the current publication first (2.01).
  ///
  /// - Parameters:
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: An object that keeps the subscription. Releasing it cancels (3.08).
  @_disfavoredOverload @inlinable
  public func observe(
    on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    handler: @escaping @Sendable (Publication<Value>) -> Void
  ) -> ScopedSubscription {
    publisher.observe(on: context, buffering: buffering, handler: handler)
  }
}

/// Sequences.
extension ReadOnlyPublisher {
  /// Returns the states as an asynchronous sequence that begins with the current one.
  ///
  /// The sequence doesn't keep the publisher alive (3.06), so keep a derived publisher while its sequences are iterated.
  ///
  /// - Parameter buffering: How many states may be pending for each iterator.
  /// - Returns: A sequence that any number of tasks can iterate.
  @inlinable
  public func states(buffering: BufferingPolicy = .unbounded) -> StateSequence<Value> {
    publisher.states(buffering: buffering)
  }

  /// Returns the loaded values as an asynchronous sequence that begins with the current one, if any.
  ///
  /// The sequence doesn't keep the publisher alive (3.06).
  ///
  /// - Parameter buffering: How many values may be pending for each iterator.
  /// - Returns: A sequence that any number of tasks can iterate.
  @inlinable
  public func values(buffering: BufferingPolicy = .unbounded) -> ValueSequence<Value> {
    publisher.values(buffering: buffering)
  }

  /// Returns the publications as an asynchronous sequence that begins with the current one.
  ///
  /// The sequence doesn't keep the publisher alive (3.06).
  ///
  /// - Parameter buffering: How many states may be pending for each iterator.
  /// - Returns: A sequence that any number of tasks can iterate.
  @inlinable
  public func publications(buffering: BufferingPolicy = .unbounded) -> PublicationSequence<Value> {
    publisher.publications(buffering: buffering)
  }
}
