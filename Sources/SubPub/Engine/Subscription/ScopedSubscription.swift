/// A subscription that ends when this object is released (3.08).
///
/// ``StatePublisher/observe(on:buffering:label:handler:)-(DeliveryContext,_,_,_)`` returns one, and
/// ``Subscription/scoped()`` makes one from any subscription. You can read the properties of the ``Subscription``
/// directly: `observation.statistics`.
@dynamicMemberLookup
public final class ScopedSubscription: Sendable {
  /// The subscription that this object cancels.
  public let subscription: Subscription
  /// With `observe`, the subscriber, which the subscription holds weakly; so nothing else keeps the closure.
  private let subscriber: (any AnyObject & Sendable)?

  /// A stand-in for a subscriber.
  final class Observer: Sendable {}

  init(_ subscription: Subscription, of subscriber: (any AnyObject & Sendable)? = nil) {
    self.subscription = subscription
    self.subscriber = subscriber
  }

  deinit { subscription.cancel() }

  /// Ends the subscription now, as ``Subscription/cancel()`` does.
  ///
  /// - Returns: Whether a delivery was under way, and where (3.02).
  @discardableResult
  public func cancel() -> CancelOutcome { subscription.cancel() }

  /// A property of the subscription.
  public subscript<T>(dynamicMember property: KeyPath<Subscription, T>) -> T { subscription[keyPath: property] }
}

extension Subscription {
  /// Returns an object that cancels the subscription when it is released.
  ///
  /// The subscription still ends with its subscriber. If you call this function several times, the first object that is
  /// released cancels.
  ///
  /// - Returns: An object that you keep for as long as the subscription should last.
  public func scoped() -> ScopedSubscription { ScopedSubscription(self) }
}

extension ScopedSubscription: CustomStringConvertible {
  /// The description of the subscription, with the word `scoped`.
  public var description: String { "scoped \(subscription)" }
}
