/// Observing without an object.
extension StatePublisher {
  /// Observes the publisher on the main actor until the returned object is released, from code that runs there, too.
  ///
  /// From other code, say where deliveries run: `on: .main` for the main actor.
  ///
  /// - Parameters:
  ///   - buffering: How many states may be pending.
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: An object that keeps the subscription. Releasing it cancels (3.08).
  @MainActor @inlinable
  public func observe(
    buffering: BufferingPolicy = .unbounded, label: String? = nil,
    handler: @escaping @MainActor (Publication<Value>) -> Void
  ) -> ScopedSubscription {
    observe(on: DeliveryContext.MainActorOnly.main, buffering: buffering, label: label, handler: handler)
  }

  /// Observes the publisher on the main actor until the returned object is released.
  ///
  /// The closure receives the current publication first (2.01).
  ///
  /// - Parameters:
  ///   - context: The main actor.
  ///   - buffering: How many states may be pending.
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: An object that keeps the subscription. Releasing it cancels (3.08).
  @inlinable
  public func observe(
    on context: DeliveryContext.MainActorOnly, buffering: BufferingPolicy = .unbounded, label: String? = nil,
    handler: @escaping @MainActor (Publication<Value>) -> Void
  ) -> ScopedSubscription {
    let handler = forMainActorLane { (_: Void, publication: Publication<Value>) in handler(publication) }
    return observe(on: DeliveryContext.main, buffering: buffering, label: label) { handler((), $0) }
  }

  /// Observes the publisher until the returned object is released.
  ///
  /// The closure receives the current publication first (2.01).
  ///
  /// - Parameters:
  ///   - context: Where deliveries run.
  ///   - buffering: How many states may be pending.
  ///   - label: A name for logs and snapshots.
  ///   - handler: Called for every delivery. Released when the subscription has ended (3.05).
  /// - Returns: An object that keeps the subscription. Releasing it cancels (3.08).
  @_disfavoredOverload @inlinable
  public func observe(
    on context: DeliveryContext, buffering: BufferingPolicy = .unbounded, label: String? = nil,
    handler: @escaping @Sendable (Publication<Value>) -> Void
  ) -> ScopedSubscription {
    _access.registry.observe(on: context, buffering: buffering, label: label) { _, box in
      handler(Publication<Value>.from(box))
    }
  }
}

extension PublisherRegistry {
  @usableFromInline
  nonisolated func observe(
    on context: DeliveryContext, buffering: BufferingPolicy, label: String?, _ deliver: @escaping Deliver
  ) -> ScopedSubscription {
    let observer = ScopedSubscription.Observer()
    let subscription = subscribe(
      SubscriptionRequest(
        observer, ofType: ScopedSubscription.self, through: SubscriberInterface(.closure), on: context,
        buffering: buffering, label: label, deliver: deliver))
    return ScopedSubscription(subscription, of: observer)
  }
}
