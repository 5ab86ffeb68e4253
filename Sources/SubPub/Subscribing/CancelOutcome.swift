/// What a cancel found (rule 3.02).
@frozen public enum CancelOutcome: Hashable, Sendable {
  /// No delivery of the subscription was under way: none of its code runs after `cancel()` has returned.
  case quiescent
  /// Exactly one delivery was under way on another thread; none begins after it. It calls nobody if the subscriber dies
  /// before it has come to it.
  case inFlight
  /// Called from inside the delivery that was under way; none begins after it.
  case reentrant
  /// Cancelled before, or ended with its subscriber, its actor or its publisher.
  /// Says nothing about a delivery that may still be under way.
  case alreadyCancelled
}

extension CancelOutcome {
  /// Of several cancels at once, the one to report: the first of inFlight, reentrant, quiescent, alreadyCancelled.
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
