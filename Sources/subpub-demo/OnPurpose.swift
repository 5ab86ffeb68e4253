import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Trouble that you cause with a key or a switch, to see what the library does then.
struct Trouble: Encodable {
  /// Whether loads fail.
  var fails = false
  /// Whether a subscriber is slow.
  var isSlow = false
}

/// What a switch changes.
struct TroubleChange: Decodable {
  let fails: Bool?
  let isSlow: Bool?
}

/// The trouble that there is now.
final class OnPurpose: Sendable {
  private let state = Mutex((trouble: Trouble(), hasEnded: false))

  var trouble: Trouble { state.withLock { $0.trouble } }

  func change(_ change: (inout Trouble) -> Void) { state.withLock { if !$0.hasEnded { change(&$0.trouble) } } }

  func make(_ change: TroubleChange) {
    self.change {
      $0.fails = change.fails ?? $0.fails
      $0.isSlow = change.isSlow ?? $0.isSlow
    }
  }

  /// Ends all trouble for good: a switch must not hold up the end of the program.
  func end() { state.withLock { $0 = (Trouble(), hasEnded: true) } }

  /// Throws an error if loads fail.
  func failIfAsked() throws(FailedOnPurpose) { if trouble.fails { throw FailedOnPurpose() } }

  /// Blocks the thread for half a second if the subscriber is slow.
  func pauseIfAsked() { if trouble.isSlow { usleep(500_000) } }
}

struct FailedOnPurpose: Error, CustomStringConvertible {
  var description: String { "failed on purpose" }
}
