/// A type-less subscriber of any number of publishers. It is held by somebody else while a request is made.
struct TypelessSubscriber: Sendable {
  private enum Kind: Sendable {
    case untyped(UnownedExistential<any Subscriber>, DeliveryContext)
    case mainActor(UnownedExistential<any MainActorSubscriber>)
  }

  private let kind: Kind
  private let buffering: BufferingPolicy

  init(_ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy) {
    kind = .untyped(UnownedExistential(subscriber), context)
    self.buffering = buffering
  }

  init(_ subscriber: any MainActorSubscriber, buffering: BufferingPolicy) {
    kind = .mainActor(UnownedExistential(subscriber))
    self.buffering = buffering
  }

  func request<Value>(at type: Publisher<Value>.Type) -> SubscriptionRequest {
    switch kind {
    case .untyped(let subscriber, let context):
      subscriber.use {
        type.request(
          for: $0, through: SubscriberInterface(.directory), on: context, buffering: buffering, ifDuplicate: .allow)
      }
    case .mainActor(let subscriber):
      subscriber.use {
        type.request(
          for: $0, through: SubscriberInterface(.directoryOnMainActor, isOnMainActor: true), buffering: buffering,
          ifDuplicate: .allow)
      }
    }
  }
}

extension PublisherDirectory {
  /// Subscribes an object to every publisher of the directory: to the present ones, and to those that are made or registered
  /// later. For concerns of all of them, such as a global error handler.
  ///
  /// Each publisher's current state comes first, and then every later one (2.01). Each has a subscription and a buffer of its
  /// own: `.latest` keeps one state of each publisher. Deliveries from one publisher never overlap (2.02). Deliveries from
  /// different publishers don't overlap on a serial queue or an actor; on a pool, a concurrent queue, an executor, and with
  /// immediate delivery they may. With immediate delivery, the current states come before this returns, in the order in which
  /// the publishers were added, and the state of a future publisher comes on the thread that adds it.
  ///
  /// The object is held weakly (2.05). If it has subscribed to the directory before, the existing subscription is returned
  /// unchanged. What it subscribes at a publisher itself is independent of this, and gets deliveries of its own, but
  /// ``Publisher/unsubscribe(_:)`` there ends both. Releasing the directory cancels.
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - context: Where deliveries run.
  ///   - buffering: How many states of each publisher may be pending.
  /// - Returns: A value that stands for all of these subscriptions. You needn't keep it.
  /// - Complexity: O(n) in the number of publishers.
  @discardableResult
  public func subscribeToAll(
    _ subscriber: any Subscriber, on context: DeliveryContext, buffering: BufferingPolicy = .unbounded
  ) -> DirectorySubscription {
    subscribe(TypelessSubscriber(subscriber, on: context, buffering: buffering)) {
      members.subscribe(
        SubscriptionRequest(
          subscriber, through: SubscriberInterface(.untyped), on: context, buffering: buffering, ifDuplicate: .ignore
        ) { _, _ in })
    }
  }

  /// Subscribes an object of the main actor to every publisher of the directory, the present and the future ones.
  ///
  /// Deliveries run on the main actor, one at a time. Everything else is as with
  /// ``subscribeToAll(_:on:buffering:)``.
  ///
  /// - Parameters:
  ///   - subscriber: Receives the states.
  ///   - buffering: How many states of each publisher may be pending.
  /// - Returns: A value that stands for all of these subscriptions. You needn't keep it.
  /// - Complexity: O(n) in the number of publishers.
  @discardableResult
  public func subscribeToAll(
    _ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded
  ) -> DirectorySubscription {
    subscribe(TypelessSubscriber(subscriber, buffering: buffering)) {
      members.subscribe(
        SubscriptionRequest(
          subscriber, through: SubscriberInterface(.untypedOnMainActor, isOnMainActor: true), on: .main,
          buffering: buffering, ifDuplicate: .ignore
        ) { _, _ in })
    }
  }

  /// Makes the subscription of a new member, or finds that of an existing one. The caller holds the subscriber.
  private func subscribe(_ subscriber: TypelessSubscriber, join: () -> Subscription) -> DirectorySubscription {
    while true {
      let membership = join()
      let key = ObjectIdentifier(membership)
      let subscription = state.withLock { $0.subscriptions[key] } ?? DirectorySubscription(membership, of: subscriber)
      // From here on it joins every publisher that is added, and those that were added before are found below.
      let isSweepDue = state.withLock { state -> Bool? in
        guard state.subscriptions[key] !== subscription else { return state.subscriptions.isSweepDue }
        return state.subscriptions.add(subscription, for: key, insteadOf: nil) ? state.subscriptions.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      // Also for an existing one: the thread that made it may not have come this far.
      for entry in sweepPublishers() { subscription.join(entry) }
      if isSweepDue { sweepSubscriptions() }
      return subscription
    }
  }
}
