#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The one lock of this package: a pthread mutex, because ThreadSanitizer sees it on every platform, so that what
/// was tested is what ships.
@safe
struct SystemMutex: ~Copyable, Sendable {
  // The mutex must not move, so it has a place of its own; nothing else points there.
  private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe Self.make(mutex)
    guard status == 0 else { stopForMisuse("The system has no mutex left: pthread_mutex_init says \(status)") }
  }

  /// Where there is a choice, one that tries for a moment before it sleeps: turns are short, and to be woken takes many
  /// times as long as one.
  private static func make(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 {
    #if canImport(Glibc)
      var attributes = pthread_mutexattr_t()
      let status = unsafe pthread_mutexattr_init(&attributes)
      guard status == 0 else { return status }
      defer { unsafe pthread_mutexattr_destroy(&attributes) }
      // Without that type it would do the same, and sleep sooner.
      _ = unsafe pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
      return unsafe pthread_mutex_init(mutex, &attributes)
    #else
      return unsafe pthread_mutex_init(mutex, nil)
    #endif
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  @inline(__always) func lock() { unsafe pthread_mutex_lock(mutex) }
  @inline(__always) func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
