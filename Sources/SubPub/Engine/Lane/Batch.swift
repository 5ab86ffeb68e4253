/// The states that the serving thread has taken to serve between two turns.
struct Batch {
  /// States that still have to be served, but for the one whose round is under way; they count as pending (2.04).
  var queue = StateQueue()
  var snapshot: SubscriptionList.Snapshot?
  /// The slots of subscriptions whose subscribers were found dead.
  var dead: [Int] = []
  /// Lanes of the publishing thread that have waited for deliveries that have ended in the meantime.
  var successors: [Lane] = []
  /// How long the lane has to rest now (2.12); nil if it needn't.
  var rest: Duration?
  /// How many states a thread that delivers immediately has taken for others.
  var countForOthers = 0
  /// The newest version when the last batch was taken; nil before the first.
  var newestTaken: UInt64?
  /// Whether to wait a little before the next turn, because states arrive faster than the lane can take them.
  var waitsForNewer = false

  /// Whether the thread has seen some versions before this one never as the newest.
  func hasGap(before newest: UInt64) -> Bool { newestTaken.map { newest > $0 + 1 } ?? false }
}

extension Batch {
  /// How many states a thread that delivers immediately takes for others, before it leaves the rest (2.03).
  static let mostForOthers = 256
}
