import Foundation

/// A value under a lock that ThreadSanitizer sees.
final class Guarded<Value>: @unchecked Sendable {
  // Only touched while the lock is held.
  private var value: Value
  private let lock = NSLock()

  init(_ value: sending Value) { self.value = value }

  func with<R>(_ body: (inout Value) -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
