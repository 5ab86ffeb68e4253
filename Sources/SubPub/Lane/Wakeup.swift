/// A task that waits. It carries no value: what the task came for it takes in a turn of its own.
@safe
package struct Wakeup: Sendable {
  package let continuation: UnsafeContinuation<Void, Never>

  package init(_ continuation: UnsafeContinuation<Void, Never>) { unsafe self.continuation = continuation }

  /// Suspends until the wakeup is resumed. `register` keeps it for whoever does that, or returns false if there is
  /// nothing to wait for any more.
  static func wait(_ register: (Wakeup) -> Bool) async {
    unsafe await withUnsafeContinuation { continuation in
      let wakeup = unsafe Wakeup(continuation)
      if !register(wakeup) { wakeup.resume() }
    }
  }

  /// Once, and outside every turn: an executor's `enqueue` may run the task at once.
  func resume() {
    #if DEBUG
      // By way of the runtime's library. Not optimised, `UnsafeContinuation.resume` is code of this module, and reads in
      // the task's memory; ThreadSanitizer isn't told that a task which had yet to suspend goes on after that.
      unsafe CheckedContinuation(continuation: continuation).resume()
    #else
      unsafe continuation.resume()
    #endif
  }
}
