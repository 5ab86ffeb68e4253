import SubPub

/// One who waited for a load.
struct LoadWait: Hashable, Sendable {
  let operation: LoadMix
  let begin: UInt64
  /// The publisher's version before the wait.
  let version: UInt64
  /// What it returned: the phase, and which calls of the loader its value and its error come from.
  let phase: LoadPhase
  let ticket: Int?
  let refusal: Int?
}
