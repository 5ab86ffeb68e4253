import SubPub

/// One state of a manager's publisher.
struct LoadPublication: Hashable, Sendable {
  let version: UInt64
  let phase: LoadPhase
  /// The value, loaded or previous.
  var tickets: [Ticket] = []
  /// Which call's error it is; nil for none, and for somebody else's.
  var refusal: Int?
}
