/// Which states wait for a subscription that keeps the `limit` oldest: the first that came, and in the last place
/// whatever came last.
///
/// It isn't told of every arrival: ordinals have no gaps, so it catches up when it is looked at, and a publish needs
/// to touch no subscription.
package struct OldestWindow {
  let limit: Int
  /// Ascending; at most `limit`.
  package private(set) var waiting: [UInt64] = []
  /// Arrivals up to here are in `waiting`, or were replaced.
  package private(set) var seen: UInt64

  /// Nothing waits, and what comes after `ordinal` will.
  init(limit: Int, after ordinal: UInt64) {
    self.limit = limit
    seen = ordinal
  }

  /// The ordinal whose arrival makes it full, or made it: an arrival is kept for good if it is below this
  /// when the next one comes.
  var fullAt: UInt64 { seen + UInt64(limit - waiting.count) }

  /// How many wait once everything up to `newest` has arrived, for a window that is full at `fullAt`.
  static func count(limit: Int, fullAt: UInt64, newest: UInt64) -> Int {
    newest >= fullAt ? limit : limit - Int(fullAt - newest)
  }

  /// Takes the state out; false if it was replaced.
  mutating func take(_ ordinal: UInt64, newest: UInt64) -> Bool {
    catchUp(to: newest)
    // States are taken in ascending order, so what is before this one has been passed over.
    guard let index = waiting.firstIndex(where: { $0 >= ordinal }) else { return false }
    let found = waiting[index] == ordinal
    waiting.removeFirst(found ? index + 1 : index)
    return found
  }

  private mutating func catchUp(to newest: UInt64) {
    while seen < newest, waiting.count < limit {
      seen += 1
      waiting.append(seen)
    }
    guard seen < newest else { return }
    waiting[limit - 1] = newest
    seen = newest
  }
}
