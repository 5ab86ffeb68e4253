/// Identifies a waiting task, before, while and after it waits.
package struct WaiterID: Hashable, Sendable { fileprivate let number: Int }

/// Tasks that wait for a number of events each. Decides only: tasks to be resumed go into `Effects`.
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

  /// Sets the number of events afterwards. With zero, the waiter goes, and nil is returned.
  mutating func expect(_ missing: Int, of id: WaiterID) -> WaiterID? {
    waiters[id]?.missing = missing
    if missing > 0 { return id }
    waiters[id] = nil
    return nil
  }

  /// The task is suspended. False if there is nothing left to wait for.
  mutating func suspend(_ id: WaiterID, _ task: SuspendedTask) -> Bool {
    guard waiters[id] != nil else { return false }
    waiters[id]?.task = task
    return true
  }

  /// One of the waiter's events has happened.
  mutating func arrive(_ id: WaiterID, _ effects: inout Effects) {
    guard var waiter = waiters[id] else { return }
    waiter.missing -= 1
    waiters[id] = waiter
    if waiter.missing == 0 { remove(id, &effects) }
  }

  /// All events have happened, or the task was cancelled.
  mutating func remove(_ id: WaiterID, _ effects: inout Effects) {
    if let task = waiters.removeValue(forKey: id)?.task { effects.resume(task) }
  }
}

/// A suspended task. It carries no value: what the task has waited for, it fetches in a turn of its own.
@safe
struct SuspendedTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the current task until it is resumed.
  ///
  /// - Parameter register: Keeps the task for whoever resumes it. Returns false if there is nothing to wait for.
  static func wait(_ register: (SuspendedTask) -> Bool) async {
    unsafe await withUnsafeContinuation { continuation in
      let task = unsafe SuspendedTask(continuation: continuation)
      if !register(task) { task.resume() }
    }
  }

  /// Resumes the task. Once, and outside every turn: an executor's `enqueue` may run the task at once.
  func resume() {
    #if DEBUG
      // Through the runtime's library. Without optimization, `UnsafeContinuation.resume` is code of this module that reads
      // the task's memory, and ThreadSanitizer isn't told how that is ordered if the task hasn't suspended yet.
      unsafe CheckedContinuation(continuation: continuation).resume()
    #else
      unsafe continuation.resume()
    #endif
  }
}
