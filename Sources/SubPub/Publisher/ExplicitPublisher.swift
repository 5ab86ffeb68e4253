/// Gives a publisher a subscriber protocol of its own, without subclassing.
///
/// So one class can subscribe to many publishers, each through a protocol that names it:
///
/// ```swift
/// protocol NewsSubscriber: AnyObject, Sendable { func newsChanged(_ state: LoadState<[String]>) }
/// let news = ExplicitPublisher<[String], any NewsSubscriber> { $0.newsChanged($1) }
/// ```
///
/// It keeps every rule of a publisher. Several may share one publisher, and each counts duplicates for itself (2.06).
public final class ExplicitPublisher<Value: Sendable, Subscriber: Sendable>: Sendable {
  /// The publisher behind it. Publish here.
  public let publisher: Publisher<Value>
  @usableFromInline let interface: SubscriberInterface
  @usableFromInline let call: @Sendable (Subscriber, LoadState<Value>) -> Void

  /// Gives a publisher a subscriber protocol.
  ///
  /// - Parameters:
  ///   - publisher: The publisher. By default, a new one.
  ///   - calling: Passes a state to a subscriber. Kept until this object and its subscriptions are gone.
  public init(
    _ publisher: Publisher<Value> = Publisher(), calling: @escaping @Sendable (Subscriber, LoadState<Value>) -> Void
  ) {
    self.publisher = publisher
    interface = SubscriberInterface(.explicit(publisher.registry.makeInterfaceNumber()))
    call = calling
  }

  /// Subscribes an object that conforms to the protocol.
  ///
  /// It receives the current state first (2.01). The object is held weakly, and the subscription lasts as long as it lives
  /// (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What happens if the object has already subscribed here (2.06).
  /// - Returns: The subscription. You needn't keep it.
  /// - Precondition: `subscriber` is a class instance.
  @discardableResult @inlinable
  public func subscribe(
    _ subscriber: Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.registry.subscribe(
      SubscriptionRequest(
        classInstance(of: subscriber, as: "subscriber"), through: interface, on: context, buffering: buffering,
        ifDuplicate: ifDuplicate
      ) { [call, subscriber = UnownedExistential(subscriber)] _, box in
        subscriber.use { call($0, Publication<Value>.from(box).state) }
      })
  }

  /// Cancels what the object has subscribed here.
  ///
  /// You may call this in the object's own `deinit`.
  ///
  /// - Returns: What was under way (3.02).
  /// - Precondition: `subscriber` is a class instance.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: Subscriber) -> CancelOutcome {
    publisher.registry.unsubscribe(classInstance(of: subscriber, as: "subscriber"), through: interface)
  }
}

extension ExplicitPublisher: CustomStringConvertible {
  /// The subscriber protocol and the publisher.
  public var description: String { "ExplicitPublisher<\(Subscriber.self)>(\(publisher))" }
}

/// Gives a publisher a subscriber protocol of the main actor, which needn't be `Sendable`. Deliveries run on the main actor.
///
/// Everything else is as with ``ExplicitPublisher``. If another thread looks at a subscriber, through `subscriberCount`,
/// `isActive`, `cancel()` or `drain()`, the library may hold the subscriber until the main actor has time to release it, as it
/// must not die anywhere else (2.05).
public final class MainActorExplicitPublisher<Value: Sendable, Subscriber>: Sendable {
  /// The publisher behind it. Publish here, from any thread.
  public let publisher: Publisher<Value>
  @usableFromInline let interface: SubscriberInterface
  @usableFromInline let call: @Sendable (Subscriber, LoadState<Value>) -> Void

  /// Gives a publisher a subscriber protocol of the main actor.
  ///
  /// - Parameters:
  ///   - publisher: The publisher. By default, a new one.
  ///   - calling: Passes a state to a subscriber, on the main actor. Kept until this object and its subscriptions are gone.
  public init(
    _ publisher: Publisher<Value> = Publisher(),
    calling: @escaping @MainActor @Sendable (Subscriber, LoadState<Value>) -> Void
  ) {
    self.publisher = publisher
    interface = SubscriberInterface(.explicit(publisher.registry.makeInterfaceNumber()), isOnMainActor: true)
    call = forMainActorLane(calling)
  }

  /// Subscribes an object that conforms to the protocol.
  ///
  /// It receives the current state first (2.01). The object is held weakly, and the subscription lasts as long as it lives
  /// (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What happens if the object has already subscribed here (2.06).
  /// - Returns: The subscription. You needn't keep it.
  /// - Precondition: `subscriber` is a class instance.
  @MainActor @discardableResult @inlinable
  public func subscribe(
    _ subscriber: Subscriber, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.registry.subscribe(
      SubscriptionRequest(
        classInstance(of: subscriber, as: "subscriber"), through: interface, on: .main, buffering: buffering,
        ifDuplicate: ifDuplicate
      ) { [call, subscriber = UnownedExistential(subscriber)] _, box in
        subscriber.use { call($0, Publication<Value>.from(box).state) }
      })
  }

  /// Cancels what the object has subscribed here.
  ///
  /// - Returns: What was under way (3.02).
  /// - Precondition: `subscriber` is a class instance.
  @MainActor @discardableResult @inlinable
  public func unsubscribe(_ subscriber: Subscriber) -> CancelOutcome {
    publisher.registry.unsubscribe(classInstance(of: subscriber, as: "subscriber"), through: interface)
  }
}

extension MainActorExplicitPublisher: CustomStringConvertible {
  /// The subscriber protocol and the publisher.
  public var description: String { "MainActorExplicitPublisher<\(Subscriber.self)>(\(publisher))" }
}
