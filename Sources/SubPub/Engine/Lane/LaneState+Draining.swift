/// A call of `drain()` that waits until this lane has served what there was at one moment (3.07).
package struct DrainWait {
  let waiter: WaiterID
  /// The newest version at that moment.
  let version: UInt64
  /// The lane's subscriptions at that moment are those before this slot.
  var limit: Int

  /// Whether the wait is over if this version, from this subscription on, is the first that is left to serve.
  func isOver(before upcoming: (version: UInt64, slot: Int)?) -> Bool {
    guard let upcoming else { return true }
    return version < upcoming.version || (version == upcoming.version && limit <= upcoming.slot)
  }
}

extension LaneState {
  /// A call of `drain()` begins to wait. False if nothing is left to serve.
  mutating func addDrain(_ waiter: WaiterID, upTo version: UInt64) -> Bool {
    guard active > 0 else { return false }
    let isServed =
      isIteration
      ? pending.isEmpty
      : !lane.phase.isAwaitingContext && !lane.requestProgress(to: drains.first?.version ?? version)
    guard !isServed || successors?.missed.isEmpty == false else { return false }
    drains.append(DrainWait(waiter: waiter, version: version, limit: subscriptions.count))
    return true
  }

  /// Has the serving thread take a turn when it has served what the first drain waits for. The others wait for later
  /// versions.
  func requestProgress() {
    if let first = drains.first { _ = lane.requestProgress(to: first.version) }
  }

  /// Completes the drains that wait for nothing in the batch, nothing that is pending, and no successor.
  mutating func completeDrains(except batch: borrowing Batch) {
    guard !drains.isEmpty else { return }
    let upcoming = batch.upcoming ?? pending.upcoming
    complete { [successors] in $0.isOver(before: upcoming) && successors?.haveServed($0) != false }
  }

  /// Completes drains after states were skipped. While a thread serves the lane, it does so itself.
  mutating func completeSkippedDrains() {
    guard !drains.isEmpty, lane.phase.current != .serving else { return }
    completeDrains(except: paused ?? Batch())
  }

  /// Completes drains after subscriptions have left: nobody waits for those.
  mutating func completeDepartedDrains() {
    guard !drains.isEmpty else { return }
    cursors.advance(in: subscriptions)
    complete { [cursors] in $0.limit <= cursors.first }
  }

  /// The registry tells the waiters when this turn has ended.
  private mutating func complete(_ isOver: (DrainWait) -> Bool) {
    drained += drains.filter(isOver).map(\.waiter)
    drains.removeAll(where: isOver)
  }
}
