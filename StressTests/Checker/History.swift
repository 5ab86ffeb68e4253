import SubPub

/// What is known of one subscription when all is over: a value, which a test can make by hand.
struct History: Sendable {
  var venue = Venue.background
  var face = Face.typed
  var policy = BufferingPolicy.unbounded
  /// Subscriptions with the same number share a lane; nil: it has its own.
  var lane: Int?
  /// Who subscribed; of two with the same joiner the one with the smaller order came first.
  var joiner = 0
  var order = 0
  var joining = Span(begin: 0, end: 0)
  /// The versions that the replay may have: what the publisher was at before and after the call. Nil: no replay.
  var replay: ClosedRange<UInt32>?
  var deliveries: [DeliveryRecord] = []
  /// How often a delivery began inside another of the same subscription.
  var overlaps = 0
  var cancels: [CancelRecord] = []
  /// When the subscriber's `deinit` ran.
  var death: UInt64?
  /// Nobody held the subscriber any more, and everything came to rest since.
  var isReleased = false
  /// Statistics in the middle of things; at rest, while it was still active; and after everything.
  var readings: [Counts] = []
  var settled: Counts?
  var closing: Counts?
  /// When the actor's `deinit` ran that was the context.
  var contextDeath: UInt64?
  /// How often the same object has subscribed again in its place: so often it may get a state twice, or skip some.
  var replacements = 0
  /// Nothing could be delivered before the last state was published: what is left is exactly what the policy says.
  var isHeld = false
  /// It was to get everything until the end.
  var isLasting = false
  /// It ended without a cancel of its own: replaced, unsubscribed, or with its actor or publisher.
  var hasEndedOtherwise = false
}
