/// Why a subscription has ended (3.10).
public enum SubscriptionEnd: UInt8, Hashable, Sendable {
  /// It was cancelled, or replaced by another one of the same object or class.
  ///
  /// An iteration also ends this way when its loop is left or its task is cancelled, and an observation when its
  /// ``ScopedSubscription`` is released.
  case cancelled
  /// The subscriber has died.
  case subscriberReleased
  /// The actor that is the context has died.
  case contextReleased
  /// The publisher was finished or released, and everything pending was delivered.
  case publisherEnded
  /// More states would have been pending than ``BufferingPolicy/ending(_:)`` allows (2.11).
  case fellBehind
}

extension Subscription {
  /// Why the subscription has ended; nil as long as states may be delivered.
  ///
  /// A delivery may still be under way: see ``ended()``.
  public var end: SubscriptionEnd? {
    // So that what is returned once is final.
    if gate.isOpen { lane.registry.retire([self]) }
    return gate.end
  }

  /// Waits until the subscription has ended and none of its deliveries is under way (3.10).
  ///
  /// While somebody waits, the publisher looks for dead subscribers 20 times a second.
  ///
  /// - Returns: Why it has ended; nil if the task is cancelled first.
  public func ended() async -> SubscriptionEnd? { await lane.registry.waitForEnd(of: self) }
}
