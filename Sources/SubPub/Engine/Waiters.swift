/// Identifies a waiting task before, while, and after it waits.
package struct WaiterID: Hashable, Comparable, Sendable {
  fileprivate let number: Int

  /// Returns whether the left waiter was registered first.
  package static func < (left: WaiterID, right: WaiterID) -> Bool { left.number < right.number }
}

/// Tasks, each of which waits for a number of events.
///
/// Decides only: tasks to be resumed go into `Effects`.
package struct Waiters {
  private struct Waiter {
    var missing: Int
    var task: SuspendedTask?
  }

  private var waiters: [WaiterID: Waiter] = [:]
  private var last = 0

  var isEmpty: Bool { waiters.isEmpty }

  package func contains(_ id: WaiterID) -> Bool { waiters[id] != nil }

  /// Registers a waiter before it waits, so that it misses no event.
  mutating func add(missing: Int) -> WaiterID {
    last += 1
    let id = WaiterID(number: last)
    waiters[id] = Waiter(missing: missing, task: nil)
    return id
  }

  /// Sets the number of events later; with zero, removes the waiter and returns nil.
  mutating func expect(_ missing: Int, of id: WaiterID) -> WaiterID? {
    waiters[id]?.missing = missing
    if missing > 0 { return id }
    waiters[id] = nil
    return nil
  }

  /// Records a suspended task; returns false if there is nothing left to wait for.
  mutating func suspend(_ id: WaiterID, _ task: SuspendedTask) -> Bool {
    guard waiters[id] != nil else { return false }
    waiters[id]?.task = task
    return true
  }

  /// Records one of the events that the waiter waits for.
  mutating func arrive(_ id: WaiterID, _ effects: inout Effects) {
    guard var waiter = waiters[id] else { return }
    waiter.missing -= 1
    waiters[id] = waiter
    if waiter.missing == 0 { remove(id, &effects) }
  }

  /// Removes a waiter because all of its events have happened, or its task was cancelled.
  mutating func remove(_ id: WaiterID, _ effects: inout Effects) {
    if let task = waiters.removeValue(forKey: id)?.task { effects.resume(task) }
  }
}
