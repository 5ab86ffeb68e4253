#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Identifies a thread while it lives; never zero.
package struct ThreadToken: Hashable, Sendable {
  let bits: UInt

  @inline(__always) package static var current: ThreadToken { ThreadToken(bits: read()) }

  /// Asks the system, again for each call.
  ///
  /// The C library declares `pthread_self` as a constant, so in an `async` function the optimizer would reuse its value
  /// after an `await`, on another thread.
  @inline(never) @_optimize(none)
  private static func read() -> UInt {
    // `pthread_t` is an integer in glibc and a pointer everywhere else.
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: unsafe pthread_self())
    #endif
  }
}

/// Identifies a task while it runs.
struct TaskToken: Equatable {
  private let hash: Int

  /// The current task; nil outside of tasks.
  static var current: TaskToken? {
    unsafe withUnsafeCurrentTask { task in unsafe task.map { unsafe TaskToken(hash: $0.hashValue) } }
  }
}
