/// All that happened at one manager in one round.
struct LoadCourse: Sendable {
  var mix: LoadMix
  /// How often a loader is called for one load.
  var attempts = 1
  /// What one subscriber, unbounded and from the beginning, was told.
  var publications: [LoadPublication] = []
  var finalVersion: UInt64 = 0
  var calls: [LoaderCall] = []
  var waits: [LoadWait] = []
  var logouts: [LogoutRecord] = []
  /// Versions of which somebody else knows that they are his.
  var foreign: Set<UInt64> = []
  /// Not everyone who waited has returned.
  var hasHangingWaits = false
  var operations = 0
}
