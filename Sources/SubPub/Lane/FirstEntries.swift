/// The first entries of a lane that still count, of all and of two kinds.
///
/// They only move on, as entries go and newcomers come behind: to look for them costs nothing, amortised.
package struct FirstEntries {
  /// No entry before this one is active.
  package private(set) var active = 0
  /// No entry before this one is active and unbounded.
  package private(set) var unbounded = 0
  /// No entry before this one is active and keeps the oldest.
  package private(set) var oldest = 0

  /// Moves past entries that don't count any more.
  mutating func pass(_ entries: EntryList) {
    Self.pass(&active, entries) { _ in true }
    Self.pass(&unbounded, entries) { $0.bounds == nil }
    Self.pass(&oldest, entries) { $0.bounds?.rule == .oldest }
  }

  /// The entries have moved.
  mutating func move(_ new: (Int) -> Int) { (active, unbounded, oldest) = (new(active), new(unbounded), new(oldest)) }

  private static func pass(_ index: inout Int, _ entries: EntryList, _ counts: (Subscription) -> Bool) {
    while index < entries.count, entries[index].gate.closedAt != nil || !counts(entries[index]) { index += 1 }
  }
}
