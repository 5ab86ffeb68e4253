/// A call of `drain()` that waits until this lane has served the states up to a version (3.07).
struct DrainWait {
  let waiter: WaiterID
  /// The newest version at the time of the call.
  let version: UInt64
  /// The end of the lane's slots at the time of the call: only earlier subscriptions count.
  private(set) var limit: Int
  /// The first slot whose subscription may still be awaited.
  ///
  /// No subscription is ever awaited again, so this only grows.
  fileprivate(set) var first = 0
  /// Whether nobody waits any more.
  fileprivate var isAbandoned = false

  init(_ waiter: WaiterID, upTo version: UInt64, limit: Int) {
    (self.waiter, self.version, self.limit) = (waiter, version, limit)
  }

  /// Adjusts the positions after a compaction.
  fileprivate mutating func move(_ newSlot: (Int) -> Int) { (first, limit) = (newSlot(first), newSlot(limit)) }
}

/// The calls of `drain()` that wait for a lane, in their order.
///
/// A later call waits for everything that an earlier one waits for. So only the first is looked at, and however many
/// there are, each costs a lane the same.
package struct DrainQueue {
  private var waits: [DrainWait] = []
  /// Where the first call is.
  private var start = 0
  /// The number of calls.
  package private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  fileprivate mutating func append(_ wait: DrainWait) {
    waits.append(wait)
    count += 1
  }

  /// Removes the first calls that wait for nothing more, and passes their waiters on.
  fileprivate mutating func removeFirst(while isOver: (inout DrainWait) -> Bool, _ found: (WaiterID) -> Void) {
    while start < waits.count, waits[start].isAbandoned || isOver(&waits[start]) {
      if !waits[start].isAbandoned {
        count -= 1
        found(waits[start].waiter)
      }
      start += 1
    }
    compact()
  }

  /// Removes a call, if it is there.
  mutating func remove(_ waiter: WaiterID) {
    guard let index = index(of: waiter), !waits[index].isAbandoned else { return }
    waits[index].isAbandoned = true
    count -= 1
    compact()
  }

  subscript(waiter: WaiterID) -> DrainWait? { index(of: waiter).map { waits[$0] } }

  mutating func move(_ newSlot: (Int) -> Int) { for index in start..<waits.count { waits[index].move(newSlot) } }

  private func index(of waiter: WaiterID) -> Int? {
    let index = waits[start...].lowerBound { $0.waiter < waiter }
    return index < waits.count && waits[index].waiter == waiter ? index : nil
  }

  /// Drops calls that are over, once most are.
  private mutating func compact() {
    guard waits.count > 2 * count else { return }
    waits = waits[start...].filter { !$0.isAbandoned }
    start = 0
  }
}

extension Lane {
  /// Adds a call of `drain()`; returns false if nothing is left to serve.
  func addDrain(_ waiter: WaiterID, upTo version: UInt64) -> Bool {
    var wait = DrainWait(waiter, upTo: version, limit: inTurn.subscriptions.count)
    // Before looking at the gates: a thread that has received the request takes a turn before it finishes.
    _ = phase.request(.attention)
    guard isAwaiting(&wait) else { return false }
    inTurn.drains.append(wait)
    return true
  }

  /// Completes the drains that wait for nothing more.
  func completeDrains(_ effects: inout Effects) {
    guard !inTurn.drains.isEmpty else { return }
    var drains = DrainQueue()
    // Taken out, because looking at the subscriptions reads the lane's state.
    swap(&drains, &inTurn.drains)
    drains.removeFirst(while: { !isAwaiting(&$0) }, { effects.arrive($0) })
    swap(&drains, &inTurn.drains)
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
    while true {
      let reading = subscription.gate.reading
      guard !reading.isClosed else { return false }
      if isIteration { return inTurn.pending.firstVersion.map { $0 <= wait.version } ?? false }
      // One past the version that is under way.
      if reading.isUnderWay, reading.next - 1 <= wait.version { return true }
      if reading.next > wait.version { return false }
      if subscription.awaitsState(upTo: wait.version, at: reading, newest: newest) { return true }
      // What it waited for is skipped. From now on: the serving thread may be about to begin that delivery.
      if subscription.gate.skip(to: subscription.firstKept(of: newest), from: reading) { return false }
    }
  }
}
