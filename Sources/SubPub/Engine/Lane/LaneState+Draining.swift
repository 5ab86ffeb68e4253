/// A call of `drain()` that waits until this lane has served the states up to a version (3.07).
package struct DrainWait {
  let waiter: WaiterID
  /// The newest version at the time of the call.
  let version: UInt64
  /// The end of the lane's slots at the time of the call: only earlier subscriptions count.
  var limit: Int

  /// Returns whether the wait is over, given the first version and slot that are left to serve.
  func isOver(before upcoming: (version: UInt64, slot: Int)?) -> Bool {
    guard let upcoming else { return true }
    return version < upcoming.version || (version == upcoming.version && limit <= upcoming.slot)
  }
}

extension LaneState {
  /// Adds a call of `drain()`; returns false if nothing is left to serve.
  mutating func addDrain(_ waiter: WaiterID, upTo version: UInt64) -> Bool {
    guard openCount > 0 else { return false }
    let isServed =
      isIteration
      ? pending.isEmpty
      : !lane.phase.isAwaitingContext && !lane.requestProgress(to: drains.first?.version ?? version)
    guard !isServed || successors?.missed.isEmpty == false else { return false }
    drains.append(DrainWait(waiter: waiter, version: version, limit: subscriptions.count))
    return true
  }

  /// Has the serving thread take a turn when it has served everything that the first drain waits for.
  ///
  /// The other drains wait for later versions.
  func requestProgress() {
    if let first = drains.first { _ = lane.requestProgress(to: first.version) }
  }

  /// Completes the drains that wait for nothing in the batch, nothing pending, and no successor.
  mutating func completeDrains(except batch: borrowing Batch) {
    guard !drains.isEmpty else { return }
    let upcoming = batch.upcoming ?? pending.upcoming
    complete { [successors] in $0.isOver(before: upcoming) && successors?.haveServed($0) != false }
  }

  /// Completes drains after states were skipped; a thread that serves the lane does so itself.
  mutating func completeSkippedDrains() {
    guard !drains.isEmpty, lane.phase.current != .serving else { return }
    completeDrains(except: paused ?? Batch())
  }

  /// Completes drains after subscriptions have left, because no drain waits for those.
  mutating func completeDepartedDrains() {
    guard !drains.isEmpty else { return }
    cursors.advance(in: subscriptions)
    complete { [cursors] in $0.limit <= cursors.first }
  }

  /// Completes drains; the registry resumes their waiters when this turn has ended.
  private mutating func complete(_ isOver: (DrainWait) -> Bool) {
    drained += drains.filter(isOver).map(\.waiter)
    drains.removeAll(where: isOver)
  }
}
