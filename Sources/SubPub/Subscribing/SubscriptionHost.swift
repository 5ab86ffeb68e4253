/// What a subscription asks of where it lives. Declared here, so that a subscription knows nothing of lanes, registries
/// and directories.
protocol SubscriptionHost: AnyObject, Sendable {
  var delivery: Delivery { get }
  var source: PublisherID { get }
  /// Whether the context was an actor, which has died. Loads it, and may be the last to let go.
  var isGone: Bool { get }
  /// Whether the calling thread is the one that delivers there now.
  var isDeliveringHere: Bool { get }

  func cancel(_ subscription: Subscription) -> CancelOutcome
  /// For a cancelled one: returns when no delivery of the subscription is under way, or at once inside of one.
  func waitForEnd(of subscription: Subscription) async
  func statistics(of subscription: Subscription) -> Subscription.Statistics
}
