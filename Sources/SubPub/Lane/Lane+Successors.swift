/// Subscriptions that joined to replace others of the same object, while a cancelled one of it had a delivery under way
/// in another lane.
/// The object must not be called twice at once, so each waits until that delivery has ended (rule 2.06). Only the
/// successor waits: the lane goes on for all others, and keeps what the successor misses meanwhile.
///
/// A reference, as few lanes ever have any. Belongs to a registry's isolation; not `Sendable`.
package final class Successors {
  package struct Member {
    package let subscription: Subscription
    /// How many deliveries it still waits for.
    package fileprivate(set) var predecessors: Int
  }

  package private(set) var members: [Member] = []
  /// What came since the first of them joined, its replay included.
  package private(set) var missed = ItemQueue()

  var isEmpty: Bool { members.isEmpty }

  /// Some of them need not wait any longer.
  var isReady: Bool { members.contains { $0.predecessors == 0 } }

  /// Whether none of them is still to get what that one waits for.
  func haveServed(_ wait: ServiceWait) -> Bool {
    guard let last = missed.last else { return true }
    return members.allSatisfy { member in
      let bound = UInt64(clamping: member.subscription.bounds?.newestLimit ?? .max)
      let next = max(member.subscription.joinedAfter, last.ordinal - min(bound, last.ordinal)) + 1
      return wait.isServed(before: (next, member.subscription.slot))
    }
  }

  func add(_ subscription: Subscription, predecessors: Int, replay: Item?, _ after: inout AfterTurn) {
    members.append(Member(subscription: subscription, predecessors: predecessors))
    if let replay, missed.last?.ordinal != replay.ordinal { miss(replay, &after) }
  }

  /// A state that they don't get yet.
  func miss(_ item: Item, _ after: inout AfterTurn) {
    missed.append(item)
    trim(&after)
  }

  /// A delivery has ended that this one waited for. True if it was the last.
  func release(_ subscription: Subscription) -> Bool {
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return false }
    members[index].predecessors -= 1
    return members[index].predecessors == 0
  }

  /// It was cancelled.
  func remove(_ subscription: Subscription, _ after: inout AfterTurn) {
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return }
    members.remove(at: index)
    trim(&after)
  }

  /// Lets those go on that need not wait any longer, and returns what they have missed, and others perhaps with them.
  func takeReady(_ after: inout AfterTurn) -> ItemQueue {
    for member in members where member.predecessors == 0 {
      member.subscription.gate.open(after: member.subscription.joinedAfter)
    }
    members.removeAll { $0.predecessors == 0 }
    let items = missed
    if members.isEmpty { missed = ItemQueue() } else { trim(&after) }
    return items
  }

  /// Drops what none of them is to get.
  private func trim(_ after: inout AfterTurn) {
    let joinedAfter = members.map(\.subscription.joinedAfter).min() ?? .max
    let limit = members.map { $0.subscription.bounds?.newestLimit ?? .max }.max() ?? 0
    while let first = missed.first, first.ordinal <= joinedAfter || missed.count > limit {
      if let item = missed.popFirst() { after.release(item.state) }
    }
  }
}

extension Lane {
  /// A delivery has ended that this subscription waited for. True if the lane has to be woken.
  mutating func release(_ successor: Subscription) -> Bool {
    guard successors?.release(successor) == true, !runner.signal.isScheduled, !runner.signal.noteMore() else {
      return false
    }
    runner.signal.schedule()
    return true
  }

  /// It was cancelled.
  @inline(never)
  mutating func removeSuccessor(_ subscription: Subscription, _ after: inout AfterTurn) {
    guard let successors else { return }
    successors.remove(subscription, &after)
    if successors.isEmpty { self.successors = nil }
  }

  /// Lets successors go on that need not wait any longer. What they have missed is pending once more; everyone else has
  /// it behind them. Only while nobody has a batch in hand: its states come after what was missed.
  mutating func admitSuccessors(_ after: inout AfterTurn) {
    guard let successors, successors.isReady else { return }
    pending.merge(successors.takeReady(&after)) { after.release($0.state) }
    if successors.isEmpty { self.successors = nil }
  }
}
