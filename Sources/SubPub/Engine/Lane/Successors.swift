/// Subscriptions that have replaced others of the same object during a delivery in another lane.
///
/// The object must not be called twice at once, so each successor waits until that delivery has ended (2.06). Only the
/// successor waits: the lane serves all other subscriptions in the meantime, and keeps here the states that the
/// successor misses.
///
/// A class, because few lanes ever have one. Isolated by a registry; not `Sendable`.
final class Successors {
  private struct Member {
    let subscription: Subscription
    /// The number of deliveries that it is still waiting for.
    var predecessors: Int
  }

  private var members: [Member] = []
  /// The states since the first successor joined, including its replay.
  private(set) var missed = StateQueue()

  var isEmpty: Bool { members.isEmpty }

  /// Whether some successors needn't wait any longer.
  var isReady: Bool { members.contains { $0.predecessors == 0 } }

  func add(_ subscription: Subscription, predecessors: Int, replay: QueuedState?, _ effects: inout Effects) {
    members.append(Member(subscription: subscription, predecessors: predecessors))
    if let replay, missed.last?.version != replay.version { append(replay, &effects) }
  }

  /// Adds a state that the successors receive later.
  func append(_ state: QueuedState, _ effects: inout Effects) {
    missed.append(state)
    trim(&effects)
  }

  /// Records that a delivery has ended; returns true if it is the last one the successor waits for.
  func countDown(_ subscription: Subscription) -> Bool {
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return false }
    members[index].predecessors -= 1
    return members[index].predecessors == 0
  }

  /// Removes a subscription that was cancelled.
  func remove(_ subscription: Subscription, _ effects: inout Effects) {
    guard let index = members.firstIndex(where: { $0.subscription === subscription }) else { return }
    members.remove(at: index)
    trim(&effects)
  }

  /// Opens the gates of the successors that needn't wait any longer.
  ///
  /// Returns all missed states, which may include states that these successors don't receive.
  func takeReady(_ effects: inout Effects) -> StateQueue {
    for member in members where member.predecessors == 0 {
      member.subscription.gate.open(at: member.subscription.firstVersion)
    }
    members.removeAll { $0.predecessors == 0 }
    let states = missed
    if members.isEmpty { missed = StateQueue() } else { trim(&effects) }
    return states
  }

  /// Drops states that no successor receives.
  private func trim(_ effects: inout Effects) {
    let first = members.map(\.subscription.firstVersion).min() ?? .max
    let limit = members.map { $0.subscription.bounds?.limit ?? .max }.max() ?? 0
    while let version = missed.firstVersion, version < first || missed.count > limit {
      if let state = missed.popFirst() { effects.release(state.state) }
    }
  }
}

extension LaneState {
  /// Records that a delivery has ended; returns true if the lane has to be woken.
  mutating func countDown(_ successor: Subscription) -> Bool {
    guard successors?.countDown(successor) == true, !lane.phase.isAwaitingContext, !lane.phase.request(.more) else {
      return false
    }
    lane.phase.enter(.scheduled)
    return true
  }

  /// Removes a subscription if it is a successor.
  @inline(never)
  mutating func removeSuccessor(_ subscription: Subscription, _ effects: inout Effects) {
    guard let successors else { return }
    successors.remove(subscription, &effects)
    if successors.isEmpty { self.successors = nil }
  }

  /// Lets the successors continue that needn't wait any longer.
  ///
  /// The states that they have missed become pending again; all other subscriptions have already received them. Only
  /// while no batch is in use, because its states come after those.
  mutating func admitSuccessors(_ effects: inout Effects) {
    guard let successors, successors.isReady else { return }
    pending.merge(successors.takeReady(&effects)) { effects.release($0.state) }
    if successors.isEmpty { self.successors = nil }
  }
}
