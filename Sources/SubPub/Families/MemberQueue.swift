/// A heap of members, the one with the least key first: a deadline, or the number of its last use.
struct MemberQueue<Key: Comparable> {
  /// Each with its key when it was added, which may be greater by now.
  private var all: [(key: Key, member: FamilyMember)] = []

  var first: (key: Key, member: FamilyMember)? { all.first }
  var count: Int { all.count }

  mutating func insert(_ member: FamilyMember, _ key: Key) {
    var index = all.count
    all.append((key, member))
    while index > 0, all[index].key < all[(index - 1) / 2].key {
      all.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the first member, and returns it: the caller may be the last to hold it.
  mutating func removeFirst() -> FamilyMember {
    all.swapAt(0, all.count - 1)
    let first = all.removeLast().member
    var (index, child) = (0, 1)
    while child < all.count {
      if child + 1 < all.count, all[child + 1].key < all[child].key { child += 1 }
      guard all[child].key < all[index].key else { break }
      all.swapAt(index, child)
      (index, child) = (child, 2 * child + 1)
    }
    return first
  }

  /// Removes members that have nothing to wait for, and returns them.
  mutating func keep(where isWaiting: (FamilyMember) -> Bool) -> [FamilyMember] {
    let end = all.partition { !isWaiting($0.member) }
    let dropped = all[end...].map(\.member)
    all = all[..<end].sorted { $0.key < $1.key }
    return dropped
  }

  /// Removes all members, and returns them.
  mutating func removeAll() -> [FamilyMember] {
    defer { all = [] }
    return all.map(\.member)
  }

  /// Changes keys without changing their order.
  mutating func limit(_ change: (Key) -> Key) { for index in all.indices { all[index].key = change(all[index].key) } }
}
