/// A heap of members, the one with the earliest deadline first.
struct DeadlineQueue {
  /// Each with its deadline when it was added, which may have been prolonged since.
  private var all: [(deadline: Duration, member: FamilyMember)] = []

  var first: (deadline: Duration, member: FamilyMember)? { all.first }

  mutating func insert(_ member: FamilyMember) {
    var index = all.count
    all.append((member.deadline, member))
    while index > 0, all[index].deadline < all[(index - 1) / 2].deadline {
      all.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    all.swapAt(0, all.count - 1)
    all.removeLast()
    var (index, child) = (0, 1)
    while child < all.count {
      if child + 1 < all.count, all[child + 1].deadline < all[child].deadline { child += 1 }
      guard all[child].deadline < all[index].deadline else { return }
      all.swapAt(index, child)
      (index, child) = (child, 2 * child + 1)
    }
  }

  /// Changes deadlines without changing their order.
  mutating func limit(_ change: (Duration) -> Duration) {
    for index in all.indices { all[index].deadline = change(all[index].deadline) }
  }
}
