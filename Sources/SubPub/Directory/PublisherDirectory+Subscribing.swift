/// A type-less subscriber of any number of publishers, held weakly.
struct TypelessSubscriber: Sendable {
  private enum Kind: Sendable {
    case untyped(UnownedExistential<any Subscriber>)
    case mainActor(UnownedExistential<any MainActorSubscriber>)
  }

  /// An object may subscribe once as each kind of subscriber.
  struct Key: Hashable {
    let address: ObjectIdentifier
    /// Whether the object belongs to the main actor, the only place where it may be looked at and released.
    let isOnMainActor: Bool
  }

  weak let object: (any AnyObject & Sendable)?
  let key: Key
  let context: DeliveryContext
  let type: Any.Type
  private let kind: Kind
  let buffering: BufferingPolicy
  let label: String?

  private init(
    _ object: any AnyObject & Sendable, _ kind: Kind, isOnMainActor: Bool, on context: DeliveryContext,
    _ buffering: BufferingPolicy, _ label: String?
  ) {
    (self.object, self.kind, self.context, self.buffering, self.label) = (object, kind, context, buffering, label)
    key = Key(address: ObjectIdentifier(object), isOnMainActor: isOnMainActor)
    type = Swift.type(of: object)
  }

  init(_ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy, label: String?) {
    let kind = Kind.untyped(UnownedExistential(subscriber))
    self.init(subscriber, kind, isOnMainActor: false, on: context, buffering, label)
  }

  init(_ subscriber: any MainActorSubscriber, buffering: BufferingPolicy, label: String?) {
    let kind = Kind.mainActor(UnownedExistential(subscriber))
    self.init(subscriber, kind, isOnMainActor: true, on: .main, buffering, label)
  }

  /// Makes the request of one publisher; the caller holds the object.
  func request<Value>(at type: Publisher<Value>.Type) -> SubscriptionRequest {
    switch kind {
    case .untyped(let subscriber):
      subscriber.use {
        type.request(
          for: $0, through: SubscriberInterface(.directory), on: context, buffering: buffering, ifDuplicate: .allow,
          label: label)
      }
    case .mainActor(let subscriber):
      subscriber.use {
        type.request(
          for: $0, through: SubscriberInterface(.directoryOnMainActor, isOnMainActor: true), buffering: buffering,
          ifDuplicate: .allow, label: label)
      }
    }
  }
}

extension PublisherDirectory {
  /// Subscribes an object to every present and future publisher of the directory.
  ///
  /// Use it for code that concerns all publishers, such as a global error handler. The object receives each publisher's
  /// current state first and then every later one (2.01). Each publisher gets a subscription and a buffer of its own:
  /// `.latest` keeps one state of each publisher.
  ///
  /// Deliveries from one publisher never overlap (2.02). Deliveries from different publishers don't overlap on a serial
  /// queue or an actor, but may overlap on a pool, a concurrent queue, an executor, and with immediate delivery. With
  /// immediate delivery, the current states arrive before this function returns, in the order in which the publishers
  /// were added, and the state of a future publisher arrives on the thread that adds it.
  ///
  /// The object is held weakly (2.05). If it has already subscribed to the directory, the existing subscription is
  /// returned unchanged. Subscriptions that the object makes itself are independent and receive their own deliveries,
  /// but ``StatePublisher/unsubscribe(_:)`` ends both kinds. Releasing the directory cancels.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states of each publisher may be pending.
  ///   - label: A name for logs and snapshots.
  /// - Returns: All of these subscriptions as one value, which you don't need to keep.
  /// - Complexity: O(*n* log *n*) in the number of publishers.
  @discardableResult
  public func subscribeToAll(
    _ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded,
    label: String? = nil
  ) -> DirectorySubscription {
    subscribe(TypelessSubscriber(subscriber, on: context, buffering: buffering, label: label))
  }

  /// Subscribes a main-actor object to every present and future publisher of the directory.
  ///
  /// Deliveries run on the main actor, one at a time. If another thread registers a publisher, that thread holds the
  /// object in the meantime, and the main actor releases it. Everything else is as with
  /// ``subscribeToAll(_:on:buffering:label:)``.
  ///
  /// - Parameters:
  ///   - subscriber: The object that receives the states.
  ///   - buffering: How many states of each publisher may be pending.
  ///   - label: A name for logs and snapshots.
  /// - Returns: All of these subscriptions as one value, which you don't need to keep.
  /// - Complexity: O(*n* log *n*) in the number of publishers.
  @discardableResult
  public func subscribeToAll(
    _ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded, label: String? = nil
  ) -> DirectorySubscription {
    subscribe(TypelessSubscriber(subscriber, buffering: buffering, label: label))
  }

  /// Finds the object's subscription, or makes one.
  ///
  /// The caller holds the object, so a living one at its address is the same.
  private func subscribe(_ subscriber: TypelessSubscriber) -> DirectorySubscription {
    subscriber.buffering.check(with: subscriber.context)
    while true {
      let existing = state.withLock { $0.subscriptions[subscriber.key] }
      var isSweepDue = false
      let subscription: DirectorySubscription
      if let existing, existing.isActive(for: subscriber) {
        subscription = existing
      } else {
        subscription = DirectorySubscription(of: subscriber)
        // From here on it joins every publisher that is added; those that were added before are joined below.
        let isAdded = state.withLock { state in
          isSweepDue = state.subscriptions.isSweepDue
          return state.subscriptions.add(subscription, for: subscriber.key, insteadOf: existing)
        }
        guard isAdded else { continue }
        existing?.cancel()
      }
      // For an existing subscription as well: the thread that made it may not have reached this point yet.
      for entry in sweepPublishers() { subscription.join(entry) }
      if isSweepDue { sweepSubscriptions() }
      return subscription
    }
  }
}
