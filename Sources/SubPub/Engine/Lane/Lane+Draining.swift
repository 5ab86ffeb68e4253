/// A call of `drain()` that waits until this lane has served the states up to a version (3.07).
package struct DrainWait {
  let waiter: WaiterID
  /// The newest version at the time of the call.
  let version: UInt64
  /// The end of the lane's slots at the time of the call: only earlier subscriptions count.
  private(set) var limit: Int
  /// The first slot whose subscription may still be awaited.
  ///
  /// No subscription is ever awaited again, so this only grows.
  fileprivate(set) var first = 0

  /// Adjusts the positions after a compaction.
  mutating func move(_ newSlot: (Int) -> Int) { (first, limit) = (newSlot(first), newSlot(limit)) }
}

extension Lane {
  /// Adds a call of `drain()`; returns false if nothing is left to serve.
  func addDrain(_ waiter: WaiterID, upTo version: UInt64) -> Bool {
    var wait = DrainWait(waiter: waiter, version: version, limit: inTurn.subscriptions.count)
    // Before looking at the gates: a thread that has received the request takes a turn before it finishes.
    _ = phase.request(.attention)
    guard isAwaiting(&wait) else { return false }
    inTurn.drains.append(wait)
    return true
  }

  /// Completes the drains that wait for nothing more; the registry resumes their waiters when this turn has ended.
  func completeDrains() {
    guard !inTurn.drains.isEmpty else { return }
    var left: [DrainWait] = []
    for var wait in inTurn.drains {
      if isAwaiting(&wait) { left.append(wait) } else { inTurn.arrived.append(wait.waiter) }
    }
    inTurn.drains = left
  }

  /// Returns the subscriptions that a drain is waiting for.
  func awaitedSubscriptions(by wait: DrainWait) -> [Subscription] {
    (wait.first..<wait.limit).map { inTurn.subscriptions[$0] }.filter { isAwaited($0, by: wait) }
  }

  /// Returns whether the drain is waiting for a subscription, and advances to that subscription.
  private func isAwaiting(_ wait: inout DrainWait) -> Bool {
    while wait.first < wait.limit, !isAwaited(inTurn.subscriptions[wait.first], by: wait) { wait.first += 1 }
    return wait.first < wait.limit
  }

  private func isAwaited(_ subscription: Subscription, by wait: DrainWait) -> Bool {
    let reading = subscription.gate.reading
    guard !reading.isClosed else { return false }
    if isIteration { return inTurn.pending.firstVersion.map { $0 <= wait.version } ?? false }
    // One past the version that is under way.
    if reading.isUnderWay, reading.next - 1 <= wait.version { return true }
    return subscription.awaitsState(upTo: wait.version, at: reading, newest: newest)
  }
}
