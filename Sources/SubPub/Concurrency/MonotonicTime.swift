#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A reading of the system's monotonic clock, for measuring deliveries.
///
/// With Dispatch's, a delivery that is reported takes 5 ns more, of 66.
struct MonotonicTime {
  private let seconds: Int64
  private let nanoseconds: Int64

  static var now: MonotonicTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  func duration(to end: MonotonicTime) -> Duration {
    .nanoseconds((end.seconds - seconds) * 1_000_000_000 + end.nanoseconds - nanoseconds)
  }
}
