/// What a drain has in hand between two turns.
@safe
struct Batch {
  /// States still to be served. They count as pending (rule 2.04).
  var queue = ItemQueue()
  /// The state whose round is under way.
  var current: Item?
  /// Whom the round visits next.
  var next = 0
  var window: EntryWindow?
  /// Entries whose subscribers were found dead.
  var dead: [Int] = []

  /// The state that is served next, and from which entry on; nil when nothing is left.
  var upcoming: (ordinal: UInt64, from: Int)? {
    if let current { (current.ordinal, next) } else { queue.upcoming }
  }

  /// Goes on to the next state; false when all are served.
  mutating func startRound() -> Bool {
    next = queue.firstIsFrom
    current = queue.popFirst()
    return current != nil
  }
}
