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
  ///
  /// Perhaps because the subscriber had died, and nobody had noticed yet.
  case fellBehind
}

extension SubscriptionEnd {
  /// Whether nothing more will come, although the subscriber would take it.
  var isOfSource: Bool { self == .publisherEnded || self == .contextReleased || self == .fellBehind }
}
