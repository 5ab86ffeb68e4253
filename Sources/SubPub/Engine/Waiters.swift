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

/// A suspended task.
///
/// It carries no value: after it was resumed, the task fetches its result in a turn of its own.
@safe
struct SuspendedTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the current task until it is resumed.
  ///
  /// `register` keeps the task for the code that resumes it, and returns false if there is nothing to wait for.
  static func wait(_ register: (SuspendedTask) -> Bool) async {
    unsafe await withUnsafeContinuation { continuation in
      let task = unsafe SuspendedTask(continuation: continuation)
      if !register(task) { task.resume() }
    }
  }

  /// Suspends the current task until it is resumed, and calls `onCancel` if it is cancelled.
  ///
  /// The task stays on the caller's actor, instead of visiting Swift's pool.
  static func wait(
    isolation: isolated (any Actor)? = #isolation, _ register: (SuspendedTask) -> Bool,
    onCancel: @Sendable () -> Void
  ) async {
    await withTaskCancellationHandler {
      _ = isolation  // A closure that doesn't capture it runs on the pool.
      await wait(register)
    } onCancel: {
      onCancel()
    }
  }

  /// Resumes the task, once, and outside every turn: an executor's `enqueue` may run the task at once.
  func resume() {
    #if DEBUG
      // Through the runtime's library. Without optimization, `UnsafeContinuation.resume` is code of this module that
      // reads the task's memory, and ThreadSanitizer doesn't know how that is ordered if the task hasn't suspended yet.
      unsafe CheckedContinuation(continuation: continuation).resume()
    #else
      unsafe continuation.resume()
    #endif
  }
}
