#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  // The only one: the other modules need this one, and a missing import elsewhere isn't an error by itself.
  #error("SubPub runs on Linux with glibc or musl and on Apple's platforms.")
#endif

/// A value behind the package's lock, for all state outside registries.
package final class Locked<State>: Sendable {
  private let mutex = SystemMutex()
  // Accessed only while `mutex` is held.
  private nonisolated(unsafe) var state: State

  package init(_ state: consuming sending State) { unsafe self.state = state }

  /// Runs `body` while no other thread does.
  ///
  /// The body must not block, resume anything, or release a foreign value. Its result outlives the lock even if the
  /// caller ignores it: without `withExtendedLifetime`, the optimizer may release an ignored result inside the lock,
  /// where a foreign `deinit` would run (1.04).
  @discardableResult
  package func withLock<R: ~Copyable>(_ body: (inout State) -> R) -> R {
    mutex.lock()
    let result = unsafe body(&state)
    mutex.unlock()
    withExtendedLifetime(result) {}
    return result
  }
}

/// The package's only kind of lock: a pthread mutex.
///
/// ThreadSanitizer sees it on every platform, so the code that is tested is the code that ships.
@safe
struct SystemMutex: ~Copyable, Sendable {
  // A mutex must not move, so it is allocated. Nothing else points to it.
  private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let status = unsafe Self.initialize(mutex)
    guard status == 0 else { stopForMisuse("The system has no mutex left: pthread_mutex_init returned \(status)") }
  }

  /// Prefers a mutex that spins briefly before it sleeps.
  ///
  /// Turns are short, and waking a thread takes many times as long.
  private static func initialize(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> Int32 {
    #if canImport(Glibc)
      var attributes = pthread_mutexattr_t()
      let status = unsafe pthread_mutexattr_init(&attributes)
      guard status == 0 else { return status }
      defer { unsafe pthread_mutexattr_destroy(&attributes) }
      // If this type isn't supported, the default type is correct as well; it only sleeps sooner.
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
