/// How many states may be pending for a subscription, and which one gives way to a new state (2.04).
///
/// No policy ever loses the last state (1.03). Every state that a policy drops is counted as skipped.
public enum BufferingPolicy: Hashable, Sendable {
  /// Keeps every state until it is delivered.
  ///
  /// If a subscriber never catches up, memory grows without limit. ``Subscription/Statistics/highWater`` tells how far.
  case unbounded
  /// Keeps one state, the latest.
  ///
  /// If you only show the newest state, use `.latest`.
  case latest
  /// Keeps at most this many states, and drops the oldest one for a new one. At least 1.
  case newest(Int)
}

extension BufferingPolicy {
  /// Stops the program if the capacity makes no sense.
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

/// What happens when an object subscribes again through the same interface of the same publisher (2.06).
///
/// Two subscriptions of one object are duplicates if both use the same protocol, or the same ``ExplicitPublisher``, or if
/// both use a closure.
public enum DuplicatePolicy: Hashable, Sendable {
  /// Returns the existing subscription unchanged, with its own context and buffering. Nothing is replayed.
  case ignore
  /// Cancels the existing subscriptions and subscribes anew, in one step.
  ///
  /// If a delivery of an old subscription is under way, the first delivery of the new one waits for its end. Nobody else
  /// waits.
  case replace
  /// Cancels the subscriptions of every object of exactly the same class and subscribes anew, in one step.
  ///
  /// Deliveries of other objects that are under way aren't waited for. Takes O(n) time in the number of subscriptions.
  case replaceSameType
  /// Subscribes once more.
  case allow
}

extension DuplicatePolicy {
  /// Whether existing subscriptions are cancelled.
  var replaces: Bool { self == .replace || self == .replaceSameType }
}

/// What a cancel has found (3.02).
@frozen public enum CancelOutcome: Hashable, Sendable {
  /// No delivery of the subscription was under way: none of its code runs after the cancel has returned.
  case quiescent
  /// Exactly one delivery was under way on another thread, and none begins after it.
  ///
  /// If the subscriber dies before that delivery has reached it, its code isn't called.
  case inFlight
  /// The cancel was called from inside the delivery that was under way, and none begins after it.
  case reentrant
  /// The subscription was cancelled before, or had ended with its subscriber, its actor or its publisher.
  ///
  /// A delivery may still be under way.
  case alreadyCancelled
}

extension CancelOutcome {
  /// The outcome of several cancels at once: the first of inFlight, reentrant, quiescent, alreadyCancelled that occurs.
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
