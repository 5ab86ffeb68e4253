/// What a turn decided and may not do itself: everything that is, or may run, foreign code (rule 1.04).
///
/// The shell ends the turn and then calls `act()`; what is left to release goes with the value.
struct AfterTurn {
  // The first in a place of its own: most turns wake one lane, and an array would be an allocation.
  private var firstWake: LaneRunner?
  private var otherWakes: [LaneRunner] = []
  /// Tasks that wait.
  var resumes: [Wakeup] = []
  /// States to let go of: their payloads' `deinit` is foreign.
  var states: [any Stamped] = []
  /// Closures to let go of, with what they capture.
  var callbacks: [Deliver] = []
  /// Subscriptions to let go of: one may be the last to hold its lane's executor.
  var subscriptions: [Subscription] = []
  /// Lanes to let go of, with their executors and queues.
  var lanes: [Lane] = []

  /// A lane to be woken on its context.
  mutating func wake(_ lane: LaneRunner) {
    if firstWake == nil { firstWake = lane } else { otherWakes.append(lane) }
  }

  /// Wakes and resumes. Outside the turn.
  func act() {
    for wakeup in resumes { wakeup.resume() }
    firstWake?.wake()
    for lane in otherWakes { lane.wake() }
  }
}
