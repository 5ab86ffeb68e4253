extension Model {
  /// A mistake in the shell that the model has to find.
  enum Fault: CaseIterable {
    /// A begin doesn't look again whether the gate was closed.
    case noSecondLook
    /// A cancel doesn't leave a mark that the end of a delivery can't wipe.
    case noClose
    /// A drain doesn't look for requests before it calls a subscriber.
    case noAttention
    /// The publishing thread ends its round without asking whether something came.
    case endWithoutAsking
    /// A drain rests after its batch without a turn.
    case restWithoutTurn
    /// A wake while something else is under way on the thread is forgotten.
    case lostWake
    /// What a turn decided to release is released inside it.
    case releaseInTurn
    /// A delivery counts as ended before the subscriber's code has returned.
    case earlyEnd
    /// A drain goes on with a subscriber that it has loaded before the gate.
    case loadBeforeGate
    /// The outcome of a cancel is what a look after the turn finds.
    case lateOutcome
    /// A waiting task is resumed for an end that was not looked at.
    case noHold
  }
}
