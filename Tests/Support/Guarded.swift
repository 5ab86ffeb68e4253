import Foundation

/// A value under a lock that ThreadSanitizer sees.
package final class Guarded<Value>: @unchecked Sendable {
  // Only accessed while the lock is held.
  private var stored: Value
  private let lock = NSLock()

  package init(_ value: sending Value) { stored = value }

  package var value: Value { with { $0 } }

  package func with<R>(_ body: (inout Value) -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body(&stored)
  }
}
