/// How many states may wait for a subscription, and which one gives way when that is exceeded (rule 2.04).
///
/// No policy ever loses the last state (rule 1.03). What a policy drops is counted as skipped.
public enum BufferingPolicy: Hashable, Sendable {
  /// Keeps every state until it is delivered. A subscriber that never catches up makes memory grow without limit;
  /// `Subscription.Statistics.highWater` shows how far it went.
  case unbounded
  /// Keeps one state, the latest.
  case latest
  /// Keeps at most that many states; a new one drops the oldest that waits. At least 1.
  case newest(Int)
  /// Keeps at most that many states; a new one replaces the newest that waits. At least 1.
  case oldest(Int)
}

extension BufferingPolicy {
  /// Stops with a message when the capacity makes no sense.
  func checkCapacity() {
    switch self {
    case .unbounded, .latest: break
    case .newest(let count), .oldest(let count):
      guard count > 0 else {
        stopForMisuse("The buffering policy .\(self) keeps no state: give it a capacity of at least 1, or use .latest")
      }
    }
  }
}

extension BufferingPolicy: CustomStringConvertible {
  /// The policy as it is written.
  public var description: String {
    switch self {
    case .unbounded: "unbounded"
    case .latest: "latest"
    case .newest(let count): "newest(\(count))"
    case .oldest(let count): "oldest(\(count))"
    }
  }
}
