// Subscribers without a protocol: a closure receives the object, so it doesn't need to capture it.

extension DeliveryContext {
  /// The main actor, for closures that are isolated to it: write `on: .main`.
  ///
  /// If the compiler misses a member of this type, it is the ``DeliveryContext`` that is misspelled.
  public struct MainActorOnly: Sendable {
    /// The main actor.
    public static var main: MainActorOnly { MainActorOnly() }
  }
}

extension StatePublisher {
  /// Subscribes an object with a closure that runs on the main actor, from code that runs there, too.
  ///
  /// ```swift
  /// publisher.subscribe(screen) { screen, state in screen.show(state) }
  /// ```
  ///
  /// From other code, say where deliveries run: `on: .main` for the main actor. Everything else is as with
  /// ``subscribe(_:on:buffering:ifDuplicate:label:handler:)-(_,DeliveryContext.MainActorOnly,_,_,_,_)``.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @MainActor @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil,
    handler: @escaping @MainActor (S, LoadState<Value>) -> Void
  ) -> Subscription {
    subscribe(
      subscriber, on: DeliveryContext.MainActorOnly.main, buffering: buffering, ifDuplicate: ifDuplicate, label: label,
      handler: handler)
  }

  /// Subscribes an object with a closure that runs on the main actor.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - context: The main actor.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on context: DeliveryContext.MainActorOnly, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    handler: @escaping @MainActor (S, LoadState<Value>) -> Void
  ) -> Subscription {
    let handler = forMainActorLane(handler)
    return _access.registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.closure, isOnMainActor: true), on: .main, buffering: buffering,
        ifDuplicate: ifDuplicate, label: label
      ) { object, box in
        handler(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(box).state)
      })
  }

  /// Subscribes an object with a closure.
  ///
  /// The closure may run on any thread of its context, but never twice at once (2.02).
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    handler: @escaping @Sendable (S, LoadState<Value>) -> Void
  ) -> Subscription {
    _access.registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.closure), on: context, buffering: buffering, ifDuplicate: ifDuplicate,
        label: label
      ) { object, box in
        handler(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(box).state)
      })
  }

  // The closures are optional for the compiler's sake: so a trailing closure that fits both is a `handler`.

  /// Subscribes an object with a closure that receives publications: states with their versions and origins.
  ///
  /// Everything else is as with ``subscribe(_:on:buffering:ifDuplicate:label:handler:)-(_,DeliveryContext,_,_,_,_)``.
  /// Write the label: `publication: { object, publication in … }`.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the publications.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - publication: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    publication: (@Sendable (S, Publication<Value>) -> Void)?
  ) -> Subscription {
    let publication = given(publication)
    return _access.registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.closure), on: context, buffering: buffering, ifDuplicate: ifDuplicate,
        label: label
      ) { object, box in
        publication(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(box))
      })
  }

  /// Subscribes an object with a closure that runs on the main actor, and receives publications.
  ///
  /// Everything else is as with
  /// ``subscribe(_:on:buffering:ifDuplicate:label:handler:)-(_,DeliveryContext.MainActorOnly,_,_,_,_)``. Write the
  /// label: `publication: { object, publication in … }`.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the publications.
  ///   - context: The main actor.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - publication: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, on context: DeliveryContext.MainActorOnly, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow, label: String? = nil,
    publication: (@MainActor (S, Publication<Value>) -> Void)?
  ) -> Subscription {
    let publication = forMainActorLane(given(publication))
    return _access.registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.closure, isOnMainActor: true), on: .main, buffering: buffering,
        ifDuplicate: ifDuplicate, label: label
      ) { object, box in
        publication(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(box))
      })
  }

  /// Subscribes an object with a closure that receives publications, from code that runs on the main actor.
  ///
  /// Everything else is as with
  /// ``subscribe(_:on:buffering:ifDuplicate:label:publication:)-(_,DeliveryContext.MainActorOnly,_,_,_,_)``.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the publications.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - publication: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @MainActor @discardableResult @inlinable
  public func subscribe<S: AnyObject & Sendable>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil, publication: (@MainActor (S, Publication<Value>) -> Void)?
  ) -> Subscription {
    subscribe(
      subscriber, on: DeliveryContext.MainActorOnly.main, buffering: buffering, ifDuplicate: ifDuplicate, label: label,
      publication: publication)
  }

  /// Subscribes an actor with a closure that is isolated to it, and receives publications.
  ///
  /// Everything else is as with ``subscribe(_:buffering:ifDuplicate:label:handler:)-(A,_,_,_,_)``.
  ///
  /// - Parameters:
  ///   - subscriber: The actor that receives the publications.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the actor has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - publication: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<A: Actor>(
    _ subscriber: A, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil, publication: (@Sendable (isolated A, Publication<Value>) -> Void)?
  ) -> Subscription {
    let publication = forActorLane(given(publication))
    return subscribe(
      subscriber, on: DeliveryContext.actor(subscriber), buffering: buffering, ifDuplicate: ifDuplicate, label: label,
      publication: publication)
  }

  /// Subscribes an actor with a closure that is isolated to it.
  ///
  /// The closure receives the actor and a state, the current one first (2.01). The actor is held weakly, and the
  /// subscription lasts as long as it lives (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: The actor that receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the actor has already subscribed with a closure (2.06).
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<A: Actor>(
    _ subscriber: A, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil,
    handler: @escaping @Sendable (isolated A, LoadState<Value>) -> Void
  ) -> Subscription {
    let handler = forActorLane(handler)
    return subscribe(
      subscriber, on: DeliveryContext.actor(subscriber), buffering: buffering, ifDuplicate: ifDuplicate, label: label,
      handler: handler)
  }
}

/// Converts a closure that is isolated to an actor to one that the actor's lanes can call.
///
/// An isolated function takes its actor as its first argument, and those lanes are served on the actor.
@inlinable @inline(__always)
func forActorLane<A: Actor, State>(
  _ body: @escaping @Sendable (isolated A, State) -> Void
) -> @Sendable (A, State) -> Void {
  unsafe unsafeBitCast(body, to: (@Sendable (A, State) -> Void).self)
}

@inlinable @inline(__always)
func given<Handler>(_ handler: Handler?) -> Handler {
  guard let handler else { stopForMisuse("nil can't receive publications: give a closure") }
  return handler
}
