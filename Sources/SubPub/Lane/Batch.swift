/// What a drain has in hand between two turns.
@safe
package struct Batch {
  /// States still to be served. They count as pending (rule 2.04).
  package var queue = ItemQueue()
  /// The state whose round is under way.
  package var current: Item?
  /// Whom the round visits next.
  package var next = 0
  package var window: EntryWindow?
  /// Entries whose subscribers were found dead.
  package var dead: [Int] = []

  package init() {}

  /// The state that is served next, and from which entry on; nil when nothing is left.
  var upcoming: (ordinal: UInt64, from: Int)? {
    if let current { (current.ordinal, next) } else { queue.upcoming }
  }

  /// Goes on to the next state; false when all are served.
  package mutating func startRound() -> Bool {
    next = queue.firstIsFrom
    current = queue.popFirst()
    return current != nil
  }
}
