/// The lanes of a publisher.
package struct LaneTable {
  /// Every lane but the publishing thread's: contexts wake them.
  private(set) var woken: [Lane] = []
  /// The lane of the publishing thread, which most publishers have.
  ///
  /// It comes last, because whether it can be served at once depends on the effects of the others.
  private(set) var immediate: Lane?
  /// The lanes that subscriptions share, by context.
  private var shared: [DeliveryContext: Lane] = [:]

  package var all: [Lane] { immediate.map { woken + [$0] } ?? woken }

  func forEach(_ body: (Lane) -> Void) {
    for lane in woken { body(lane) }
    if let immediate { body(immediate) }
  }

  func first(where isWanted: (Lane) -> Bool) -> Lane? {
    woken.first(where: isWanted) ?? immediate.flatMap { isWanted($0) ? $0 : nil }
  }

  /// Returns the lane that subscriptions on this context share, if there is one.
  func shared(for context: DeliveryContext) -> Lane? {
    if case .immediate = context.kind { return immediate }
    return context.isLookedUp ? shared[context] : nil
  }

  mutating func add(_ lane: Lane) {
    if lane.isImmediate, lane.isShared {
      lane.inTurn.index = 0
      immediate = lane
      return
    }
    lane.inTurn.index = woken.count
    woken.append(lane)
    if lane.isShared, lane.context.isLookedUp { shared[lane.context] = lane }
  }

  /// Removes a lane, which the caller holds.
  mutating func remove(_ lane: Lane) {
    if immediate === lane {
      immediate = nil
    } else {
      woken.swapAt(lane.inTurn.index, woken.count - 1)
      woken[lane.inTurn.index].inTurn.index = lane.inTurn.index
      woken.removeLast()
      if lane.isShared, lane.context.isLookedUp { shared[lane.context] = nil }
    }
    lane.inTurn.index = -1
  }
}
