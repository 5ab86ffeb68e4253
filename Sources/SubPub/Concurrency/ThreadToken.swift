#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Identifies a thread while it lives; never zero.
package struct ThreadToken: Equatable, Sendable {
  let bits: UInt

  @inline(__always) package static var current: ThreadToken {
    // `pthread_t` is an integer in glibc and a pointer everywhere else.
    #if canImport(Glibc)
      ThreadToken(bits: UInt(pthread_self()))
    #else
      ThreadToken(bits: UInt(bitPattern: unsafe pthread_self()))
    #endif
  }
}
