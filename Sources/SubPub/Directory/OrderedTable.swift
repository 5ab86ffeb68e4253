/// Objects in the order in which they were added, each found by a key.
///
/// It only decides, and calls nothing. Whether an entry still counts is up to the caller: that depends on a weak
/// reference, and reading one retains the object briefly, which can become the last reference to it and must not end
/// under a lock. So a caller that has found an entry to be gone passes that entry to have it replaced or removed. If
/// another entry has taken its place in the meantime, nothing happens. Because the caller holds the entry, nothing is
/// released here.
struct OrderedTable<Key: Hashable, Entry: AnyObject> {
  private var places: [Key: (number: UInt64, entry: Entry)] = [:]
  private var last: UInt64 = 0
  /// The number of entries above which it is worth looking for entries that are gone.
  private var sweepAt = 16

  var isSweepDue: Bool { places.count > sweepAt }

  subscript(key: Key) -> Entry? { places[key]?.entry }

  /// The entries in the order in which they were added.
  ///
  /// - Complexity: O(*n* log *n*).
  var entries: [(key: Key, entry: Entry)] {
    places.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value.entry) }
  }

  /// Adds an entry at the end, in place of `old`; returns false if `old` is no longer there.
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
