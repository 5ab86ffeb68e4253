/// Subscriptions that have replaced others of the same object while a delivery of a cancelled one was under way in another
/// lane.
///
/// The object must not be called twice at once, so each successor waits until that delivery has ended (2.06). Only the
/// successor waits: the lane serves all others meanwhile, and keeps here what the successor misses.
///
/// A class, as few lanes ever have one. Isolated by a registry; not `Sendable`.
final class Successors {
  private struct Member {
    let subscription: Subscription
    /// The number of deliveries that it still waits for.
    var predecessors: Int
  }

  private var members: [Member] = []
  /// The states since the first of them joined, its replay included.
  private(set) var missed = StateQueue()

  var isEmpty: Bool { members.isEmpty }

  /// Whether some of them needn't wait any longer.
  var isReady: Bool { members.contains { $0.predecessors == 0 } }

  func add(_ subscription: Subscription, predecessors: Int, replay: QueuedState?, _ effects: inout Effects) {
    members.append(Member(subscription: subscription, predecessors: predecessors))
    if let replay, missed.last?.version != replay.version { append(replay, &effects) }
  }

  /// A state that they get later.
  func append(_ state: QueuedState, _ effects: inout Effects) {
    missed.append(state)
    trim(&effects)
  }

  /// A delivery has ended that this subscription waited for. True if it was the last one.
  func countDown(_ subscription: Subscription) -> Bool {
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return false }
    members[index].predecessors -= 1
    return members[index].predecessors == 0
  }

  /// The subscription was cancelled.
  func remove(_ subscription: Subscription, _ effects: inout Effects) {
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return }
    members.remove(at: index)
    trim(&effects)
  }

  /// Opens the gates of those that needn't wait any longer. Returns everything that was missed, which may include states
  /// that these are not to get.
  func takeReady(_ effects: inout Effects) -> StateQueue {
    for member in members where member.predecessors == 0 {
      member.subscription.gate.open(at: member.subscription.firstVersion)
    }
    members.removeAll { $0.predecessors == 0 }
    let states = missed
    if members.isEmpty { missed = StateQueue() } else { trim(&effects) }
    return states
  }

  /// Whether none of them is still to get a state that this call of `drain()` waits for.
  func haveServed(_ wait: DrainWait) -> Bool {
    guard let newest = missed.last?.version else { return true }
    return members.allSatisfy { member in
      let limit = UInt64(clamping: member.subscription.bounds?.limit ?? .max)
      let oldest = newest >= limit ? newest - limit + 1 : 0
      return wait.isOver(before: (max(member.subscription.firstVersion, oldest), member.subscription.slot))
    }
  }

  /// Drops states that none of them is to get.
  private func trim(_ effects: inout Effects) {
    let first = members.map(\.subscription.firstVersion).min() ?? .max
    let limit = members.map { $0.subscription.bounds?.limit ?? .max }.max() ?? 0
    while let version = missed.firstVersion, version < first || missed.count > limit {
      if let state = missed.popFirst() { effects.release(state.state) }
    }
  }
}

extension LaneState {
  /// A delivery has ended that this successor waited for. True if the lane has to be woken.
  mutating func countDown(_ successor: Subscription) -> Bool {
    guard successors?.countDown(successor) == true, !lane.phase.isAwaitingContext, !lane.phase.request(.more) else {
      return false
    }
    lane.phase.enter(.scheduled)
    return true
  }

  /// A successor may have been cancelled.
  @inline(never)
  mutating func removeSuccessor(_ subscription: Subscription, _ effects: inout Effects) {
    guard let successors else { return }
    successors.remove(subscription, &effects)
    if successors.isEmpty { self.successors = nil }
  }

  /// Lets successors go on that needn't wait any longer. What they have missed is pending once more, and all others have it
  /// behind them. Only while nobody has a batch in hand, as its states come after those.
  mutating func admitSuccessors(_ effects: inout Effects) {
    guard let successors, successors.isReady else { return }
    pending.merge(successors.takeReady(&effects)) { effects.release($0.state) }
    if successors.isEmpty { self.successors = nil }
  }
}
