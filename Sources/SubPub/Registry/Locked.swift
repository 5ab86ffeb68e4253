/// A value behind the package's lock, for what isn't state of a registry: loads, caches, the directory, the tests.
package final class Locked<State>: Sendable {
  private let mutex = SystemMutex()
  // Touched only while `mutex` is held.
  private nonisolated(unsafe) var state: State

  package init(_ state: consuming sending State) { unsafe self.state = state }

  /// Runs `body` while no other thread does. It must not block, resume anything or release a foreign value.
  ///
  /// What `body` returns outlives the lock, even if the caller ignores it: without that line the optimiser may release
  /// an ignored result as soon as it exists, and a `deinit` would run under the lock (rule 1.04).
  @discardableResult
  package func withLock<R: ~Copyable>(_ body: (inout State) throws -> R) rethrows -> R {
    mutex.lock()
    let result: R
    do { result = try unsafe body(&state) } catch {
      mutex.unlock()
      throw error
    }
    mutex.unlock()
    withExtendedLifetime(result) {}
    return result
  }
}
