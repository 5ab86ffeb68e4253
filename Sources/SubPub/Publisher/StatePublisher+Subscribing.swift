// Subscribers with a protocol. If a class has both a typed and a type-less interface, the typed one is used: the
// type-less overloads are disfavored, and `x as any Subscriber` selects them.

extension StatePublisher {
  /// Subscribes an object that receives states of any type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore, label: String? = nil
  ) -> Subscription {
    _access.registry.subscribe(
      Publisher<Value>.request(
        for: subscriber, through: SubscriberInterface(.untyped), on: context, buffering: buffering,
        ifDuplicate: ifDuplicate, label: label))
  }

  /// Subscribes a main-actor object that receives states of any type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore, label: String? = nil
  ) -> Subscription {
    _access.registry.subscribe(
      Publisher<Value>.request(
        for: subscriber, through: SubscriberInterface(.untypedOnMainActor, isOnMainActor: true), buffering: buffering,
        ifDuplicate: ifDuplicate, label: label))
  }

  /// Subscribes an object that receives states of this publisher's type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: TypedSubscriber<Value>>(
    _ subscriber: S, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore, label: String? = nil
  ) -> Subscription {
    _access.registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.typed), on: context, buffering: buffering, ifDuplicate: ifDuplicate,
        label: label
      ) { object, box in
        unsafe unsafeDowncast(object, to: S.self).receive(Publication<Value>.from(box))
      })
  }

  /// Subscribes a main-actor object that receives states of this publisher's type.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed through this protocol (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  @discardableResult @inlinable
  public func subscribe<S: MainActorTypedSubscriber<Value>>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore,
    label: String? = nil
  ) -> Subscription {
    let receive = forMainActorLane { (subscriber: S, publication: Publication<Value>) in
      subscriber.receive(publication)
    }
    return _access.registry.subscribe(
      SubscriptionRequest(
        subscriber, through: SubscriberInterface(.typedOnMainActor, isOnMainActor: true), on: .main,
        buffering: buffering, ifDuplicate: ifDuplicate, label: label
      ) { object, box in
        receive(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(box))
      })
  }

  /// Cancels every subscription that an object has at this publisher.
  ///
  /// This includes subscriptions made through an ``ExplicitPublisher`` or a ``PublisherDirectory``. Call it from any
  /// thread, even in the object's own `deinit`.
  ///
  /// - Parameter subscriber: The object.
  /// - Returns: Whether a delivery was under way, and where (3.02).
  /// - Complexity: Amortized O(1) for each subscription of the object.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: AnyObject) -> CancelOutcome { _access.registry.unsubscribe(subscriber) }
}

extension Publisher {
  /// Makes the request of a type-less subscriber.
  @inlinable @inline(__always)
  static func request(
    for subscriber: any Subscriber, through interface: SubscriberInterface, on context: DeliveryContext,
    buffering: BufferingPolicy, ifDuplicate: DuplicatePolicy, label: String?
  ) -> SubscriptionRequest {
    SubscriptionRequest(
      subscriber, through: interface, on: context, buffering: buffering, ifDuplicate: ifDuplicate, label: label
    ) { [subscriber = UnownedExistential(subscriber)] _, box in
      subscriber.use { $0.receive(Publication<Value>.from(box)) }
    }
  }

  /// Makes the request of a type-less main-actor subscriber.
  @inlinable @inline(__always)
  static func request(
    for subscriber: any MainActorSubscriber, through interface: SubscriberInterface, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy, label: String?
  ) -> SubscriptionRequest {
    let receive = forMainActorLane { (subscriber: any MainActorSubscriber, publication: any AnyPublication) in
      subscriber.receive(publication)
    }
    return SubscriptionRequest(
      subscriber, through: interface, on: .main, buffering: buffering, ifDuplicate: ifDuplicate, label: label
    ) { [subscriber = UnownedExistential(subscriber)] _, box in
      subscriber.use { receive($0, Publication<Value>.from(box)) }
    }
  }
}

/// Converts a main-actor closure to one that the main actor's lanes can call.
///
/// Those lanes are served on the main actor, and a closure that is isolated to it is called like any other.
@inlinable @inline(__always)
func forMainActorLane<A, B>(_ body: @escaping @MainActor (A, B) -> Void) -> @Sendable (A, B) -> Void {
  unsafe unsafeBitCast(body, to: (@Sendable (A, B) -> Void).self)
}
