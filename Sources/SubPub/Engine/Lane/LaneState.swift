/// What a lane knows: its pending states, its subscriptions, and its progress.
///
/// It is read and changed in the registry's turns. The lane decides there: it takes no lock, starts nothing, and
/// releases nothing foreign. Everything that remains to be done goes into `Effects`.
package struct LaneState {
  /// The place among the lanes that are woken, or 0 for the one that is served at once; -1 if the lane isn't in the
  /// registry's table.
  var index = -1
  let subscriptions = SubscriptionList()
  /// The states to be served; none if the lane delivers the publisher's current state.
  var pending = StateQueue()
  /// In that case, the first slot whose subscription is to receive the current state; nil if none is.
  var currentFrom: Int?
  /// Whether some of what is pending was published by other threads than the one that delivers immediately.
  var isPendingFromOthers = false
  /// The number of open subscriptions.
  var openCount = 0
  /// How many subscriptions have left in this turn, and how many of them belong to a `DirectorySubscription`.
  var departed = (count: 0, parts: 0)
  /// Calls of `drain()` that wait for this lane.
  package var drains = DrainQueue()
  /// For each of these subscriptions, those who wait until it has ended and no delivery of it is under way.
  var endWaiters: [ObjectIdentifier: Set<WaiterID>] = [:]
  /// The number of events that have to happen before this lane is woken: deliveries in other lanes end (2.06), and so
  /// does the lane's own rest (2.12).
  var obstacleCount: Int
  /// The iterating task, if it is suspended.
  var iteratingTask: SuspendedTask?
}

extension LaneState {
  /// Whether there is something to serve.
  @inline(__always) var isPending: Bool { currentFrom != nil || !pending.isEmpty }

  /// Whether the newest state is to be served.
  func isPending(_ newest: UInt64) -> Bool { currentFrom != nil || pending.last?.version == newest }

  /// Whether the lane is in the registry's table.
  var isInTable: Bool { index >= 0 }
}

/// States that no subscription will receive (3.05).
extension LaneState {
  /// Drops them from the batch of the calling thread, which serves the lane, and from the pending states.
  mutating func trim(_ batch: inout StateQueue, newest: UInt64, _ effects: inout Effects) {
    trim(newest: newest, &effects)
    batch.drop(before: firstVersion, newest: newest, unwantedBy: subscriptions, &effects)
  }

  /// Drops them from the pending states.
  mutating func trim(newest: UInt64, _ effects: inout Effects) {
    if openCount == 0, pending.count > 1 {
      // Together, however many there are.
      effects.releaseAll(in: pending)
      pending = StateQueue()
    }
    pending.drop(before: firstVersion, newest: newest, unwantedBy: subscriptions, &effects)
    if let slot = currentFrom {
      currentFrom = openCount == 0 ? nil : subscriptions.slot(awaiting: newest, from: slot, newest: newest)
    }
  }

  /// The version from which on remaining subscriptions may need states: they are in the order of joining.
  private var firstVersion: UInt64 { subscriptions.firstOpen?.joinVersion ?? .max }
}

extension StateQueue {
  /// Drops states before a version, and those at the front that no subscription from their slot on receives.
  fileprivate mutating func drop(
    before first: UInt64, newest: UInt64, unwantedBy subscriptions: SubscriptionList, _ effects: inout Effects
  ) {
    while let version = firstVersion {
      let slot = version < first ? nil : subscriptions.slot(awaiting: version, from: firstSlot, newest: newest)
      if let slot {
        firstSlot = slot
        return
      }
      if let state = popFirst() { effects.release(state.state) }
    }
  }
}

extension SubscriptionList {
  /// The first slot, from `slot` on, whose subscription receives a state; 0 stands for all, without looking at any.
  fileprivate func slot(awaiting version: UInt64, from slot: Int, newest: UInt64) -> Int? {
    if slot == 0 { return 0 }
    return (slot..<max(slot, count)).first {
      let reading = self[$0].gate.reading
      return !reading.isClosed && self[$0].awaitsState(upTo: version, at: reading, newest: newest)
    }
  }
}
