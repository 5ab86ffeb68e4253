#if Redis
  package import Foundation

  /// Wakes a thread that waits for descriptors.
  package final class WakePipe: Sendable {
    /// The descriptor to wait for: it can be read from after a wake-up.
    package let descriptor: Int32
    private let writeEnd: Int32

    package init() throws(RedisError.Reason) {
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else {
        throw .unreachable("cannot make a pipe: \(unsafe String(cString: strerror(errno)))")
      }
      (descriptor, writeEnd) = (ends[0], ends[1])
      for end in ends { Self.configure(end) }
    }

    deinit {
      close(descriptor)
      close(writeEnd)
    }

    /// Wakes the thread, from any other.
    package func wake() {
      // If the pipe is full, the thread is about to wake up anyway.
      var byte: UInt8 = 0
      _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Forgets the wake-ups so far.
    package func clear() {
      var bytes = [UInt8](repeating: 0, count: 64)
      while unsafe read(descriptor, &bytes, bytes.count) > 0 {}
    }
  }

  extension WakePipe {
    /// Waits until one of several descriptors is ready, or that time has passed.
    package static func wait(for descriptors: inout [pollfd], upTo limit: Duration) {
      let milliseconds = Int32(clamping: Int64((max(.zero, limit) / .milliseconds(1)).rounded(.up)))
      // Whatever ends the wait early, a signal for example, the caller looks what is to be done, and waits again.
      _ = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }

    /// Makes a descriptor non-blocking, and keeps programs that this one starts from inheriting it.
    package static func configure(_ descriptor: Int32) {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
  }
#endif
