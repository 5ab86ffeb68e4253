/// The lanes of a publisher: one for each context and buffering policy, and those that aren't shared.
package struct LaneTable {
  /// Every lane but the one that the publishing thread serves at once.
  private(set) var woken: [Lane] = []
  /// The lane that the publishing thread serves at once, which most publishers have.
  ///
  /// It comes last, because whether it can be served depends on the effects of the others.
  private(set) var atOnce: Lane?
  /// The other lanes that subscriptions share.
  private var shared: [Key: Lane] = [:]

  private struct Key: Hashable {
    let context: DeliveryContext
    let policy: BufferingPolicy
  }

  package var all: [Lane] { atOnce.map { woken + [$0] } ?? woken }

  func forEach(_ body: (Lane) -> Void) {
    for lane in woken { body(lane) }
    if let atOnce { body(atOnce) }
  }

  func first(where isWanted: (Lane) -> Bool) -> Lane? {
    woken.first(where: isWanted) ?? atOnce.flatMap { isWanted($0) ? $0 : nil }
  }

  /// Returns the lane that subscriptions on this context with this policy share, if there is one.
  func shared(for context: DeliveryContext, _ policy: BufferingPolicy) -> Lane? {
    if context.deliversAtOnce(policy) { return atOnce }
    return context.isShared && policy.interval == nil ? shared[Key(context: context, policy: policy)] : nil
  }

  mutating func add(_ lane: Lane) {
    if lane.deliversAtOnce {
      lane.inTurn.index = 0
      atOnce = lane
      return
    }
    lane.inTurn.index = woken.count
    woken.append(lane)
    if lane.isShared { shared[Key(context: lane.context, policy: lane.policy)] = lane }
  }

  /// Removes a lane, which the caller holds.
  mutating func remove(_ lane: Lane) {
    if atOnce === lane {
      atOnce = nil
    } else {
      woken.swapAt(lane.inTurn.index, woken.count - 1)
      woken[lane.inTurn.index].inTurn.index = lane.inTurn.index
      woken.removeLast()
      if lane.isShared { shared[Key(context: lane.context, policy: lane.policy)] = nil }
    }
    lane.inTurn.index = -1
  }
}
