/// A heap of members, the one with the earliest deadline first, and of several the one that was used first.
struct DeadlineQueue {
  /// Each with its deadline and its last use when it was added, after which it may have been used again.
  private var all: [(deadline: Duration, use: Int, member: FamilyMember)] = []

  var first: (deadline: Duration, use: Int, member: FamilyMember)? { all.first }

  private func isBefore(_ index: Int, _ other: Int) -> Bool {
    (all[index].deadline, all[index].use) < (all[other].deadline, all[other].use)
  }

  mutating func insert(_ member: FamilyMember) {
    var index = all.count
    all.append((member.deadline, member.use, member))
    while index > 0, isBefore(index, (index - 1) / 2) {
      all.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    all.swapAt(0, all.count - 1)
    all.removeLast()
    var (index, child) = (0, 1)
    while child < all.count {
      if child + 1 < all.count, isBefore(child + 1, child) { child += 1 }
      guard isBefore(child, index) else { return }
      all.swapAt(index, child)
      (index, child) = (child, 2 * child + 1)
    }
  }

  /// Removes members that have nothing to wait for.
  mutating func keep(where isWaiting: (FamilyMember) -> Bool) {
    all = all.filter { isWaiting($0.member) }.sorted { ($0.deadline, $0.use) < ($1.deadline, $1.use) }
  }

  var count: Int { all.count }

  /// Changes deadlines without changing their order.
  mutating func limit(_ change: (Duration) -> Duration) {
    for index in all.indices { all[index].deadline = change(all[index].deadline) }
  }
}
