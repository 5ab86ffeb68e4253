/// A publisher with a subscriber protocol of its own, without subclassing.
///
/// One class can subscribe to many publishers, each through a protocol that names what has changed:
///
/// ```swift
/// protocol NewsSubscriber: AnyObject, Sendable { func newsChanged(_ state: LoadState<[String]>) }
/// let news = ExplicitPublisher<[String], any NewsSubscriber> { $0.newsChanged($1) }
/// ```
///
/// It keeps every rule that a ``Publisher`` keeps. Several explicit publishers may share one publisher; each detects
/// duplicates separately (2.06).
public final class ExplicitPublisher<Value: Sendable, Subscriber: Sendable>: Sendable {
  /// The underlying publisher, whose transitions the subscribers receive.
  public let publisher: Publisher<Value>
  @usableFromInline let interface: SubscriberInterface
  @usableFromInline let call: @Sendable (Subscriber, LoadState<Value>) -> Void

  /// Adds a subscriber protocol to a publisher.
  ///
  /// - Parameters:
  ///   - publisher: The publisher; by default, a new one.
  ///   - calling: Passes a state to a subscriber, on the context of the subscription. Released after this object and
  ///     all of its subscriptions.
  public init(
    _ publisher: Publisher<Value> = Publisher(), calling: @escaping @Sendable (Subscriber, LoadState<Value>) -> Void
  ) {
    self.publisher = publisher
    interface = .makeExplicit(isOnMainActor: false)
    call = calling
  }

  /// Subscribes an object that conforms to the protocol.
  ///
  /// The object receives the current state first and then every later one (2.01). It is held weakly, and the
  /// subscription lasts as long as the object lives (2.05, 3.06).
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed here (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  /// - Precondition: `subscriber` is a class instance.
  @discardableResult @inlinable
  public func subscribe(
    _ subscriber: Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore, label: String? = nil
  ) -> Subscription {
    publisher.registry.subscribe(
      SubscriptionRequest(
        classInstance(of: subscriber, as: "subscriber"), through: interface, on: context, buffering: buffering,
        ifDuplicate: ifDuplicate, label: label
      ) { [call, subscriber = UnownedExistential(subscriber)] _, box in
        subscriber.use { call($0, Publication<Value>.from(box).state) }
      })
  }

  /// Cancels every subscription that the object has made here.
  ///
  /// Call it from any thread, even in the object's own `deinit`.
  ///
  /// - Parameter subscriber: The object.
  /// - Returns: Whether a delivery was under way, and where (3.02).
  /// - Complexity: Amortized O(1) for each subscription of the object.
  /// - Precondition: `subscriber` is a class instance.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: Subscriber) -> CancelOutcome {
    publisher.registry.unsubscribe(classInstance(of: subscriber, as: "subscriber"), through: interface)
  }
}

extension ExplicitPublisher: CustomStringConvertible {
  /// The subscriber protocol and the publisher, for logs.
  public var description: String { "ExplicitPublisher<\(Subscriber.self)>(\(publisher))" }
}

/// A publisher with a main-actor subscriber protocol of its own, which needn't be `Sendable`.
///
/// Deliveries run on the main actor. Everything else is as with ``ExplicitPublisher``.
///
/// A subscriber must be released on the main actor. Other threads count it until the main actor has run (2.05).
public final class MainActorExplicitPublisher<Value: Sendable, Subscriber>: Sendable {
  /// The underlying publisher, which you can change from any thread.
  public let publisher: Publisher<Value>
  @usableFromInline let interface: SubscriberInterface
  @usableFromInline let call: @Sendable (Subscriber, LoadState<Value>) -> Void

  /// Adds a main-actor subscriber protocol to a publisher.
  ///
  /// - Parameters:
  ///   - publisher: The publisher; by default, a new one.
  ///   - calling: Passes a state to a subscriber, on the main actor. Released after this object and all of its
  ///     subscriptions.
  public init(
    _ publisher: Publisher<Value> = Publisher(),
    calling: @escaping @MainActor @Sendable (Subscriber, LoadState<Value>) -> Void
  ) {
    self.publisher = publisher
    interface = .makeExplicit(isOnMainActor: true)
    call = forMainActorLane(calling)
  }

  /// Subscribes an object that conforms to the protocol.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - buffering: How many states may be pending.
  ///   - ifDuplicate: What to do if the object has already subscribed here (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  /// - Precondition: `subscriber` is a class instance.
  @MainActor @discardableResult @inlinable
  public func subscribe(
    _ subscriber: Subscriber, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore,
    label: String? = nil
  ) -> Subscription {
    publisher.registry.subscribe(
      SubscriptionRequest(
        classInstance(of: subscriber, as: "subscriber"), through: interface, on: .main, buffering: buffering,
        ifDuplicate: ifDuplicate, label: label
      ) { [call, subscriber = UnownedExistential(subscriber)] _, box in
        subscriber.use { call($0, Publication<Value>.from(box).state) }
      })
  }

  /// Cancels every subscription that the object has made here.
  ///
  /// - Parameter subscriber: The object.
  /// - Returns: Whether a delivery was under way (3.02).
  /// - Complexity: Amortized O(1) for each subscription of the object.
  /// - Precondition: `subscriber` is a class instance.
  @MainActor @discardableResult @inlinable
  public func unsubscribe(_ subscriber: Subscriber) -> CancelOutcome {
    publisher.registry.unsubscribe(classInstance(of: subscriber, as: "subscriber"), through: interface)
  }
}

extension MainActorExplicitPublisher: CustomStringConvertible {
  /// The subscriber protocol and the publisher, for logs.
  public var description: String { "MainActorExplicitPublisher<\(Subscriber.self)>(\(publisher))" }
}
