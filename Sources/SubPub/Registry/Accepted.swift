/// What accepting a state left to do.
@safe
package struct Accepted {
  package let ordinal: UInt64
  /// The state before, to be let go of outside the turn.
  package var displaced: (any Stamped)?
  /// Not retained: a lane stays at its registry while it is drained, the publishing thread drains this one now, and who
  /// publishes holds the registry.
  private var lane: Unmanaged<LaneRunner>?
  private var window: EntryWindow?

  init(ordinal: UInt64) { self.ordinal = ordinal }

  /// The publishing thread has a round to do. At most one lane is served by it.
  mutating func deliverNow(on lane: LaneRunner, _ window: EntryWindow) {
    unsafe self.lane = .passUnretained(lane)
    self.window = window
  }

  /// Hands out what the publishing thread is to serve, if anything.
  @inline(__always)
  package func serve(_ body: (LaneRunner, EntryWindow) -> Void) {
    if let lane = unsafe lane, let window { unsafe lane._withUnsafeGuaranteedRef { body($0, window) } }
  }
}
