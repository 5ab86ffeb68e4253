// Subscribers with a protocol. A class with a typed and a type-less interface uses the typed one: the type-less overloads are
// disfavored, and `x as any Subscriber` asks for them.

extension Publisher {
  /// Subscribes an object that receives states without their type.
  ///
  /// It receives the current state first (2.01). The object is held weakly, and the subscription lasts as long as it lives
  /// (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What happens if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription. You needn't keep it.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      Self.request(
        for: subscriber, through: SubscriberInterface(.untyped), on: context, buffering: buffering,
        ifDuplicate: ifDuplicate))
  }

  /// Subscribes an object of the main actor that receives states without their type, on the main actor.
  ///
  /// It receives the current state first (2.01). The object is held weakly, and the subscription lasts as long as it lives
  /// (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What happens if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription. You needn't keep it.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      Self.request(
        for: subscriber, through: SubscriberInterface(.untypedOnMainActor, isOnMainActor: true), buffering: buffering,
        ifDuplicate: ifDuplicate))
  }

  /// Subscribes an object that receives the states of this type of publisher.
  ///
  /// It receives the current state first (2.01). The object is held weakly, and the subscription lasts as long as it lives
  /// (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What happens if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription. You needn't keep it.
  @discardableResult @inlinable
  public func subscribe<S: TypedSubscriber<Value>>(
    _ subscriber: S, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.typed), on: context, buffering: buffering, ifDuplicate: ifDuplicate
      ) { object, box in
        unsafe unsafeDowncast(object, to: S.self).receive(Publication<Value>.from(box))
      })
  }

  /// Subscribes an object of the main actor that receives the states of this type of publisher, on the main actor.
  ///
  /// It receives the current state first (2.01). The object is held weakly, and the subscription lasts as long as it lives
  /// (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What happens if the object has already subscribed through this protocol (2.06).
  /// - Returns: The subscription. You needn't keep it.
  @discardableResult @inlinable
  public func subscribe<S: MainActorTypedSubscriber<Value>>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    let receive = forMainActorLane { (subscriber: S, publication: Publication<Value>) in
      subscriber.receive(publication)
    }
    return registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.typedOnMainActor, isOnMainActor: true), on: .main,
        buffering: buffering, ifDuplicate: ifDuplicate
      ) { object, box in
        receive(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(box))
      })
  }

  /// Cancels every subscription of an object at this publisher.
  ///
  /// You may call this in the object's own `deinit`.
  ///
  /// - Returns: What was under way (3.02).
  /// - Complexity: O(1), amortized.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: AnyObject) -> CancelOutcome { registry.unsubscribe(subscriber) }
}

extension Publisher {
  /// The request of a type-less subscriber.
  @inlinable @inline(__always)
  static func request(
    for subscriber: any Subscriber, through interface: SubscriberInterface, on context: DeliveryContext,
    buffering: BufferingPolicy, ifDuplicate: DuplicatePolicy
  ) -> SubscriptionRequest {
    SubscriptionRequest(
      subscriber, through: interface, on: context, buffering: buffering, ifDuplicate: ifDuplicate
    ) { [subscriber = UnownedExistential(subscriber)] _, box in
      subscriber.use { $0.receive(Publication<Value>.from(box)) }
    }
  }

  /// The request of a type-less subscriber of the main actor.
  @inlinable @inline(__always)
  static func request(
    for subscriber: any MainActorSubscriber, through interface: SubscriberInterface, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> SubscriptionRequest {
    let receive = forMainActorLane { (subscriber: any MainActorSubscriber, publication: any AnyPublication) in
      subscriber.receive(publication)
    }
    return SubscriptionRequest(
      subscriber, through: interface, on: .main, buffering: buffering, ifDuplicate: ifDuplicate
    ) { [subscriber = UnownedExistential(subscriber)] _, box in
      subscriber.use { receive($0, Publication<Value>.from(box)) }
    }
  }
}

/// A closure of the main actor as one that the main actor's lanes can call.
///
/// A lane is served on the main actor, and closures that are isolated to it are called like all others.
@inlinable @inline(__always)
func forMainActorLane<A, B>(_ body: @escaping @MainActor (A, B) -> Void) -> @Sendable (A, B) -> Void {
  unsafe unsafeBitCast(body, to: (@Sendable (A, B) -> Void).self)
}
