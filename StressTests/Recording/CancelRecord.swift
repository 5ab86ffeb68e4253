import SubPub

/// One cancel, and what it said.
struct CancelRecord: Sendable {
  enum Answer: Hashable, Sendable {
    case outcome(CancelOutcome)
    /// `cancelAndWait` has returned.
    case waited
  }

  var span: Span
  var answer: Answer
  var thread: UInt32
  /// Called on the subscription's own serial context, or inside its callback (rule 3.03).
  var isOnOwnContext = false
  /// A delivery was under way on another thread for as long as the call took, and everyone knew.
  var mustBeInFlight = false
}
