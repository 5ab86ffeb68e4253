#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whether a new object may get the address of a dead one: AddressSanitizer sees to it that it doesn't.
enum AddressReuse {
  static let isPossible = unsafe dlsym(nil, "__asan_init") == nil
}
