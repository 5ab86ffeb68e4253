import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Trouble that you cause with a key, to see what the library does then.
final class OnPurpose: Sendable {
  private let failing = Atomic(false)
  private let slow = Atomic(false)

  /// Whether loads fail.
  var fails: Bool {
    get { failing.load(ordering: .relaxed) }
    set { failing.store(newValue, ordering: .relaxed) }
  }

  /// Whether a subscriber is slow.
  var isSlow: Bool {
    get { slow.load(ordering: .relaxed) }
    set { slow.store(newValue, ordering: .relaxed) }
  }

  /// Throws an error if loads fail.
  func failIfAsked() throws(FailedOnPurpose) { if fails { throw FailedOnPurpose() } }

  /// Blocks the thread for half a second if the subscriber is slow.
  func pauseIfAsked() { if isSlow { usleep(500_000) } }
}

struct FailedOnPurpose: Error, CustomStringConvertible {
  var description: String { "failed on purpose" }
}
