import Foundation

/// A value under a lock that ThreadSanitizer sees.
package final class Guarded<Value>: @unchecked Sendable {
  // Only accessed while the lock is held.
  private var value: Value
  private let lock = NSLock()

  package init(_ value: sending Value) { self.value = value }

  package func with<R>(_ body: (inout Value) -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
