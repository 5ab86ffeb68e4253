/// A subscription that ends when this object is released (3.08).
///
/// ``Publisher/observe(on:buffering:handler:)`` returns one, and ``Subscription/scoped()`` makes one of any subscription.
/// Everything that a ``Subscription`` tells can be read here directly: `observation.statistics`.
@dynamicMemberLookup
public final class ScopedSubscription: Sendable {
  /// The subscription that ends.
  public let subscription: Subscription
  /// With `observe`, what the subscription holds weakly, so nothing else keeps the closure.
  private let subscriber: Observer?

  /// Stands for a subscriber where there is none.
  final class Observer: Sendable {}

  init(_ subscription: Subscription, of subscriber: Observer? = nil) {
    self.subscription = subscription
    self.subscriber = subscriber
  }

  deinit { subscription.cancel() }

  /// Ends the subscription now. See ``Subscription/cancel()``.
  @discardableResult
  public func cancel() -> CancelOutcome { subscription.cancel() }

  /// A property of the subscription.
  public subscript<T>(dynamicMember property: KeyPath<Subscription, T>) -> T { subscription[keyPath: property] }
}

extension Subscription {
  /// Ties the subscription to an object that cancels it when it is released.
  ///
  /// The subscription still ends with its subscriber. If you call this several times, the first object that is released
  /// cancels.
  public func scoped() -> ScopedSubscription { ScopedSubscription(self) }
}

extension ScopedSubscription: CustomStringConvertible {
  /// The description of the subscription.
  public var description: String { "scoped \(subscription)" }
}
