/// How many states may be pending for a subscription, and which one a new state replaces (2.04).
///
/// No policy drops the last state (1.03). Every dropped state counts as skipped.
public enum BufferingPolicy: Hashable, Sendable {
  /// Keeps every state until it is delivered.
  ///
  /// If a subscriber never catches up, memory grows without limit. ``Subscription/Statistics/highWater`` is the largest
  /// number of states that were pending at once.
  case unbounded
  /// Keeps only the latest state.
  ///
  /// Use it if you only show the newest state.
  case latest
  /// Keeps at most this many states: a new state replaces the oldest one.
  ///
  /// - Precondition: The number is at least 1, which is checked when you subscribe.
  case newest(Int)
}

extension BufferingPolicy {
  /// Stops the program if the capacity is less than 1.
  func checkCapacity() {
    if case .newest(let count) = self, count < 1 {
      stopForMisuse("The buffering policy .\(self) keeps no state: give it a capacity of at least 1, or use .latest")
    }
  }
}

extension BufferingPolicy: CustomStringConvertible {
  /// The policy as it is written in code.
  public var description: String {
    switch self {
    case .unbounded: "unbounded"
    case .latest: "latest"
    case .newest(let count): "newest(\(count))"
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
  /// The subscription had already been cancelled, or had ended with its subscriber, actor, or publisher.
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
