/// A value behind the package's lock, for what isn't state of a registry: loads, caches, the directory, the tests.
package final class Locked<State>: Sendable {
  private let mutex = SystemMutex()
  // Touched only while `mutex` is held.
  private nonisolated(unsafe) var state: State

  package init(_ state: consuming sending State) { unsafe self.state = state }

  /// Runs `body` alone. It must not block, resume anything or release a foreign value.
  package func withLock<R: ~Copyable>(_ body: (inout State) throws -> R) rethrows -> R {
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&state)
  }
}
