/// Identifies a waiting task before, while, and after it waits.
package struct WaiterID: Hashable, Comparable, Sendable {
  fileprivate let number: Int

  /// Returns whether the left waiter was registered first.
  package static func < (left: WaiterID, right: WaiterID) -> Bool { left.number < right.number }
}

/// Tasks, each of which waits for a number of events.
///
/// Decides only: it returns the tasks that the caller has to resume.
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

  /// Records one of the events that the waiter waits for; returns its task if that was the last one.
  mutating func arrive(_ id: WaiterID) -> SuspendedTask? {
    guard var waiter = waiters[id] else { return nil }
    waiter.missing -= 1
    waiters[id] = waiter
    return waiter.missing == 0 ? remove(id) : nil
  }

  /// Removes a waiter because all of its events have happened, or its task was cancelled; returns its task.
  mutating func remove(_ id: WaiterID) -> SuspendedTask? { waiters.removeValue(forKey: id)?.task }
}
