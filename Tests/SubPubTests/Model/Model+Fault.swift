extension Model {
  /// A mistake in the shell that the model has to find.
  enum Fault: CaseIterable {
    /// A begin doesn't look again whether the gate was closed.
    case noSecondLook
    /// A cancel leaves only the mark that the end of a delivery wipes.
    case noClose
    /// A drain doesn't look for requests before it calls a subscriber.
    case noAttention
    /// The publishing thread ends its round without asking whether something came.
    case endWithoutAsking
    /// A drain rests after its batch without a turn.
    case restWithoutTurn
    /// A publisher's wake gets lost.
    case lostWake
    /// What a turn decided to release is released inside it.
    case releaseInTurn
    /// A delivery counts as ended before the subscriber's code has returned.
    case earlyEnd
    /// A cancel says what a look after its turn finds.
    case lateOutcome
  }
}
