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

  /// Goes on to the next state; false when all are served.
  mutating func startRound() -> Bool {
    next = queue.firstIsFrom
    current = queue.popFirst()
    return current != nil
  }
}
