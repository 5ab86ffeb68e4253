/// What accepting a state left to do.
package struct Accepted {
  package let ordinal: UInt64
  /// The state before, to be let go of outside the turn.
  package var displaced: (any Stamped)?
  package private(set) var immediate: LaneRunner?
  package private(set) var window: EntryWindow?

  init(ordinal: UInt64) { self.ordinal = ordinal }

  /// The publishing thread has a round to do. At most one lane is served by it.
  mutating func deliverNow(on lane: LaneRunner, _ window: EntryWindow) {
    immediate = lane
    self.window = window
  }
}
