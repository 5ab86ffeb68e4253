/// How many states may be pending for a subscription, and which one a new state replaces (2.04).
///
/// No policy drops the last state of a subscription that goes on (1.03). Every dropped state counts as skipped.
///
/// With ``latest`` and ``newest(_:)``, a slow subscription can keep others in its lane from receiving anything while
/// states keep coming: see <doc:ChoosingAContext>.
public enum BufferingPolicy: Hashable, Sendable {
  /// Keeps every state until it is delivered.
  ///
  /// If a subscriber never catches up, memory grows without limit: see ``ending(_:)``.
  /// ``Subscription/Statistics/highWater`` is the largest number of states that were pending at once.
  case unbounded
  /// Keeps only the latest state.
  ///
  /// Use it if you only show the newest state.
  case latest
  /// Keeps at most this many states: a new state replaces the oldest one.
  ///
  /// - Precondition: The number is at least 1, which is checked when you subscribe.
  case newest(Int)
  /// Keeps every state, and ends the subscription when more than this many would be pending (2.11).
  ///
  /// Use it for clients of a server that must see every state: one that doesn't read is ended as
  /// ``SubscriptionEnd/fellBehind``, in the call that publishes one state too many. What was pending is dropped,
  /// and nothing more is delivered.
  ///
  /// - Precondition: The number is at least 1, which is checked when you subscribe.
  case ending(Int)
  /// Keeps only the latest state, and leaves some time between two deliveries; written ``latest(every:)``.
  case paced(every: Duration)

  /// Keeps only the latest state, and delivers at most one in each interval (2.12).
  ///
  /// The first state is delivered at once, and the newest one no later than one interval after it was published, if the
  /// context is free. Measured on the publisher's clock. Use it for screens and clients that needn't follow a fast
  /// publisher.
  ///
  /// Such a subscription shares its lane with no other. It can't be ``DeliveryContext/immediate``.
  ///
  /// - Parameter interval: The shortest time between two deliveries.
  /// - Returns: The policy.
  /// - Precondition: The interval is greater than zero, which is checked when you subscribe.
  public static func latest(every interval: Duration) -> BufferingPolicy { .paced(every: interval) }

  /// For the message about a number of states.
  @available(*, unavailable, message: "the latest state alone is `.latest`, and the last n are `.newest(n)`")
  public static func latest(_ count: Int) -> BufferingPolicy { neverCalled() }
}

extension BufferingPolicy {
  /// The shortest time between two deliveries; nil if there is none.
  var interval: Duration? { if case .paced(let interval) = self { interval } else { nil } }

  /// The largest number of pending states.
  var capacity: Int {
    switch self {
    case .unbounded: .max
    case .latest, .paced: 1
    case .newest(let count), .ending(let count): count
    }
  }

  /// Whether many subscriptions have it, so that it is worth keeping a lane with nobody in it.
  var isCommon: Bool { self == .unbounded || self == .latest }

  /// Whether a subscription ends when more states would be pending (2.11).
  var endsBeyondCapacity: Bool { if case .ending = self { true } else { false } }
}

extension BufferingPolicy: CustomStringConvertible {
  /// The policy as it is written in code.
  public var description: String {
    switch self {
    case .unbounded: "unbounded"
    case .latest: "latest"
    case .newest(let count): "newest(\(count))"
    case .ending(let count): "ending(\(count))"
    case .paced(let interval): "latest(every: \(interval))"
    }
  }
}

/// The treatment of an object that subscribes again through the same interface of the same publisher (2.06).
///
/// Two subscriptions of one object are duplicates if both use the same protocol, the same ``ExplicitPublisher``, or a
/// closure.
public enum DuplicatePolicy: Hashable, Sendable {
  /// Returns the existing subscription unchanged, with its own context and buffering.
  ///
  /// No state is replayed.
  case ignore
  /// Cancels the existing subscriptions and subscribes again, in one step.
  ///
  /// If a delivery of an old subscription is under way, the first delivery of the new one waits until it has ended. No
  /// other subscription waits.
  case replace
  /// Cancels the subscriptions of all objects of exactly the same class and subscribes, in one step.
  ///
  /// The new subscription doesn't wait for deliveries to other objects that are under way. Takes O(*n*) time in the
  /// number of subscriptions.
  case replaceSameType
  /// Adds another subscription.
  case allow
}

extension DuplicatePolicy {
  /// Whether existing subscriptions are cancelled.
  var replaces: Bool { self == .replace || self == .replaceSameType }
}

/// The outcome of a cancel (3.02).
@frozen public enum CancelOutcome: Hashable, Sendable {
  /// No delivery of the subscription was under way: none of the subscriber's code runs after the cancel has returned.
  case quiescent
  /// Exactly one delivery was under way on another thread, and none begins after it.
  ///
  /// If the subscriber dies before that delivery has reached it, its code isn't called.
  case inFlight
  /// The cancel was called from inside the delivery that was under way, and none begins after it.
  case reentrant
  /// The subscription had already been cancelled, had fallen behind (2.11), or had ended with its subscriber, actor, or
  /// publisher.
  ///
  /// A delivery may still be under way.
  case alreadyCancelled
}

extension CancelOutcome {
  /// The outcome of several cancels: the first of inFlight, reentrant, quiescent, alreadyCancelled that occurs.
  func combined(with other: CancelOutcome) -> CancelOutcome { rank <= other.rank ? self : other }

  private var rank: Int {
    switch self {
    case .inFlight: 0
    case .reentrant: 1
    case .quiescent: 2
    case .alreadyCancelled: 3
    }
  }
}
