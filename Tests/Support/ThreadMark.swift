import Foundation

/// Tells threads apart, and the test's own threads from all others.
package enum ThreadMark {
  /// A number that is unique among living threads.
  ///
  /// Thread objects lie at least 64 bytes apart, and within 256 GB of each other.
  @inline(__always) package static var current: UInt32 {
    #if canImport(Darwin)
      UInt32(truncatingIfNeeded: UInt(bitPattern: unsafe pthread_self()) >> 6)
    #else
      UInt32(truncatingIfNeeded: UInt(pthread_self()) >> 6)
    #endif
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key, nil)
    return key
  }()

  /// Whether the current thread is one that the test has started.
  @inline(__always) package static var isTestThread: Bool { unsafe pthread_getspecific(key) != nil }

  package static func becomeTestThread() { unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
}
