/// Objects in the order in which they were added, each found by a key. Decides only, and calls nobody.
///
/// Whether an entry still counts is up to the caller: that depends on a weak reference, and loading one under a lock might hold
/// the last reference to its object. So an entry is replaced or removed by a caller that has found it gone and that names it.
/// If another entry is there by now, nothing happens; and as the caller holds the entry, nothing is released here.
struct OrderedTable<Key: Hashable, Entry: AnyObject> {
  private var places: [Key: (number: UInt64, entry: Entry)] = [:]
  private var last: UInt64 = 0
  /// From how many entries on it is worthwhile to look for those that are gone.
  private var sweepAt = 16

  var isSweepDue: Bool { places.count > sweepAt }

  subscript(key: Key) -> Entry? { places[key]?.entry }

  /// The entries in the order in which they were added.
  ///
  /// - Complexity: O(n log n).
  var entries: [(key: Key, entry: Entry)] {
    places.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value.entry) }
  }

  /// Adds an entry at the end, in place of `old`. False if that isn't there any more.
  mutating func add(_ entry: Entry, for key: Key, insteadOf old: Entry?) -> Bool {
    guard places[key]?.entry === old else { return false }
    last += 1
    places[key] = (last, entry)
    return true
  }

  mutating func remove(_ gone: [(key: Key, entry: Entry)]) {
    for (key, entry) in gone where places[key]?.entry === entry { places[key] = nil }
    sweepAt = 2 * places.count + 16
  }
}
