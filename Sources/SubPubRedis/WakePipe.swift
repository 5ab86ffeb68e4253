#if Redis
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Wakes a thread that waits for descriptors.
  final class WakePipe: Sendable {
    /// The descriptor to wait for: it can be read from after a wake-up.
    let descriptor: Int32
    private let writeEnd: Int32

    init() throws(RedisError.Reason) {
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else {
        throw .unreachable("cannot make a pipe: \(unsafe String(cString: strerror(errno)))")
      }
      (descriptor, writeEnd) = (ends[0], ends[1])
      for end in ends { RedisConnection.configure(end) }
    }

    deinit {
      close(descriptor)
      close(writeEnd)
    }

    /// Wakes the thread, from any other.
    func wake() {
      // If the pipe is full, the thread is about to wake up anyway.
      var byte: UInt8 = 0
      _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Forgets the wake-ups so far.
    func clear() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }
#endif
