/// What a subscription asks of where it lives. Declared here, so that a subscription knows nothing of lanes and
/// registries.
protocol SubscriptionHost: AnyObject, Sendable {
  var delivery: Delivery { get }
  var source: PublisherID { get }
  /// Whether the context was an actor, which has died. Loads it, and may be the last to let go.
  var isGone: Bool { get }
  /// The ordinal of the newest state.
  var newest: UInt64 { get }
  /// Whether the calling thread is the one that delivers there now.
  var isDeliveringHere: Bool { get }

  func cancel(_ subscription: Subscription) -> CancelOutcome
  /// Returns when no delivery of the subscription is under way.
  func waitForEnd(of subscription: Subscription) async
}
