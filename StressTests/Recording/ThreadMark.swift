import Foundation

/// Tells threads apart, and hammering threads from all others.
enum ThreadMark {
  /// Unique among living threads: thread objects lie at least 64 bytes apart, and within 256 GB of each other.
  @inline(__always) static var current: UInt32 {
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

  /// Whether this is a thread that the stress test has started.
  @inline(__always) static var isHammer: Bool { unsafe pthread_getspecific(key) != nil }

  static func becomeHammer() { unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
}
