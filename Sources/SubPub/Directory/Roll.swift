/// Who has joined, in that order, and each to be found by its key. Decides only, and calls nobody.
///
/// Whether a member still counts is for the caller to find out: what says so is a weak reference, and to look at one
/// under a lock might be the last hold on its object. So a member is replaced or removed by one who has found it gone,
/// and names it: if another is there by now, nothing happens. And since that one holds it, nothing dies here.
struct Roll<Key: Hashable, Member: AnyObject> {
  private var places: [Key: (number: UInt64, member: Member)] = [:]
  private var last: UInt64 = 0
  /// How many members make it worth while to look for gone ones.
  private var sweepAt = 16

  var isSweepDue: Bool { places.count > sweepAt }

  subscript(key: Key) -> Member? { places[key]?.member }

  /// In the order of joining. Sorts.
  var members: [(key: Key, member: Member)] {
    places.sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value.member) }
  }

  /// Joins at the end, in the place of `old`. False when not that one is there.
  mutating func add(_ member: Member, for key: Key, insteadOf old: Member?) -> Bool {
    guard places[key]?.member === old else { return false }
    last += 1
    places[key] = (last, member)
    return true
  }

  mutating func remove(_ gone: [(key: Key, member: Member)]) {
    for (key, member) in gone where places[key]?.member === member { places[key] = nil }
    sweepAt = 2 * places.count + 16
  }
}
