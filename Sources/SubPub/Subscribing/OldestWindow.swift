/// Which states wait for a subscription that keeps the `limit` oldest: the first that came, and in the last place
/// whatever came last.
///
/// It isn't told of every arrival: ordinals have no gaps, so it catches up when it is looked at, and a publish needs
/// to touch no subscription.
package struct OldestWindow {
  let limit: Int
  /// Ascending; what comes before `first` was taken.
  private var ordinals: [UInt64] = []
  private var first = 0
  /// Arrivals up to here are in `waiting`, or were replaced.
  package private(set) var seen: UInt64

  /// At most `limit`.
  package var waiting: ArraySlice<UInt64> { ordinals[first...] }
  private var count: Int { ordinals.count - first }

  /// Nothing waits, and what comes after `ordinal` will.
  init(limit: Int, after ordinal: UInt64) {
    self.limit = limit
    seen = ordinal
  }

  /// The ordinal whose arrival makes it full, or made it: an arrival is kept for good if it is below this
  /// when the next one comes.
  var fullAt: UInt64 { seen + UInt64(limit - count) }

  /// How many wait once everything up to `newest` has arrived, for a window that is full at `fullAt`.
  static func count(limit: Int, fullAt: UInt64, newest: UInt64) -> Int {
    newest >= fullAt ? limit : limit - Int(fullAt - newest)
  }

  /// Takes the state out; false if it was replaced.
  mutating func take(_ ordinal: UInt64, newest: UInt64) -> Bool {
    catchUp(to: newest)
    // States are taken in ascending order, so what is before this one has been passed over.
    while first < ordinals.count, ordinals[first] < ordinal { first += 1 }
    let found = first < ordinals.count && ordinals[first] == ordinal
    if found { first += 1 }
    // Half of it at least goes, so each state is moved once, amortised.
    if first > ordinals.count / 2 {
      ordinals.removeFirst(first)
      first = 0
    }
    return found
  }

  mutating func catchUp(to newest: UInt64) {
    while seen < newest, count < limit {
      seen += 1
      ordinals.append(seen)
    }
    guard seen < newest else { return }
    ordinals[ordinals.count - 1] = newest
    seen = newest
  }
}
