/// Names one task that waits, also before and after it does.
package struct WaiterID: Hashable, Sendable { fileprivate let number: Int }

/// Tasks that wait for a number of things to happen. Decides only: what is to be resumed is handed out.
package struct WaiterTable {
  private struct Waiter {
    var missing: Int
    var wakeup: Wakeup?
  }

  private var waiters: [WaiterID: Waiter] = [:]
  private var last = 0

  var isEmpty: Bool { waiters.isEmpty }

  package func contains(_ id: WaiterID) -> Bool { waiters[id] != nil }

  /// Registers a waiter before it waits, so that nothing that happens meanwhile is missed.
  package mutating func add(missing: Int) -> WaiterID {
    last += 1
    let id = WaiterID(number: last)
    waiters[id] = Waiter(missing: missing, wakeup: nil)
    return id
  }

  /// Sets the number afterwards. Nil if it is none: then there is no waiter.
  package mutating func expect(_ missing: Int, of id: WaiterID) -> WaiterID? {
    waiters[id]?.missing = missing
    if missing > 0 { return id }
    waiters[id] = nil
    return nil
  }

  /// The task waits now; false if it needn't any more.
  package mutating func wait(_ id: WaiterID, _ wakeup: Wakeup) -> Bool {
    guard waiters[id] != nil else { return false }
    waiters[id]?.wakeup = wakeup
    return true
  }

  /// One of the things has happened.
  mutating func arrive(_ id: WaiterID, _ after: inout AfterTurn) {
    guard var waiter = waiters[id] else { return }
    waiter.missing -= 1
    waiters[id] = waiter
    if waiter.missing == 0 { remove(id, &after) }
  }

  /// Everything has happened, or the task has given up.
  mutating func remove(_ id: WaiterID, _ after: inout AfterTurn) {
    if let wakeup = waiters.removeValue(forKey: id)?.wakeup { after.resume(wakeup) }
  }
}
