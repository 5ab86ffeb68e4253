/// A policy that decides whether and when a manager tries a failed load again.
///
/// A load publishes only the last failure (5.07); a stream publishes each (5.21). Delays are measured on the manager's
/// clock. A load that is cancelled or superseded isn't tried again.
public struct RetryPolicy: Sendable {
  /// The number of times that one load may call the loader, including the first; for a stream, the number of calls of
  /// `stream` without an element between them.
  public let maxAttempts: Int
  private let delay: @Sendable (_ attempt: Int, _ error: any Error) -> Duration?

  /// Creates a policy from a closure.
  ///
  /// - Parameters:
  ///   - maxAttempts: The number of times that one load may call the loader, including the first; for a stream, the
  ///     number of calls of `stream` without an element between them.
  ///   - delay: Returns how long to wait after a failure, or nil to stop trying. Receives the number of calls that have
  ///     failed, starting with 1, and the last error. A delay of a hundred years or more never ends: the load waits
  ///     until it is cancelled. Called on no particular thread, while no lock is held.
  /// - Precondition: `maxAttempts` is at least 1, and no delay is negative.
  public init(maxAttempts: Int, delay: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Duration?) {
    guard maxAttempts >= 1 else {
      stopForMisuse("maxAttempts is \(maxAttempts), but a load is tried at least once: give 1 or more")
    }
    self.maxAttempts = maxAttempts
    self.delay = delay
  }

  /// A policy that never tries again.
  public static let never = RetryPolicy(maxAttempts: 1) { _, _ in nil }

  /// Returns a policy with delays that grow: `initial` after the first failure, then `factor` times as long.
  ///
  /// - Parameters:
  ///   - maxAttempts: The number of times that one load may call the loader, including the first; for a stream, the
  ///     number of calls of `stream` without an element between them.
  ///   - initial: The delay after the first failure.
  ///   - factor: The factor by which the delay grows each time.
  ///   - maximum: The longest delay.
  ///   - jitter: The fraction of a delay by which it may be shortened at random, so that clients that failed together
  ///     don't try again together.
  ///   - seed: A seed for tests: the same seed and attempt give the same delay. With nil, the system's randomness is
  ///     used.
  /// - Returns: The policy.
  /// - Precondition: `maxAttempts` and `factor` are at least 1, `factor` is finite, `initial` isn't negative, `maximum`
  ///   isn't shorter than `initial`, and `jitter` is between 0 and 1.
  public static func exponential(
    maxAttempts: Int, initial: Duration, factor: Double = 2, maximum: Duration, jitter: Double = 0,
    seed: UInt64? = nil
  ) -> RetryPolicy {
    guard initial >= .zero else {
      stopForMisuse("initial is \(initial), but a wait can't be negative: give zero or more")
    }
    guard maximum >= initial else {
      stopForMisuse("maximum is \(maximum), and initial is \(initial): give a maximum that isn't shorter")
    }
    guard factor >= 1, factor.isFinite else {
      stopForMisuse("factor is \(factor), but waits don't shrink: give 1 or more")
    }
    guard (0...1).contains(jitter) else {
      stopForMisuse("jitter is \(jitter), but it is a fraction of the wait: give a number from 0 to 1")
    }
    let jitter = Jitter(upTo: jitter, seed: seed)
    return RetryPolicy(maxAttempts: maxAttempts) { failures, _ in
      var (delay, steps) = (initial, failures - 1)
      while steps > 0, delay < maximum {
        let longer = delay.scaled(by: factor, upTo: maximum)
        // The delay is zero or the factor is one, so the delay never grows, however many failures there are.
        if longer == delay { break }
        (delay, steps) = (longer, steps - 1)
      }
      return jitter.shorten(delay, UInt64(failures))
    }
  }

  /// Returns how long to wait after a number of failures; nil if no attempt follows.
  package func delay(after failures: Int, _ error: any Error) -> Duration? {
    guard failures < maxAttempts, let delay = delay(failures, error) else { return nil }
    guard delay >= .zero else {
      stopForMisuse(
        "A RetryPolicy's delay is \(delay), but a wait can't be negative: give zero or more, or nil to stop trying")
    }
    return delay
  }
}

extension Duration {
  /// Returns the product, or the limit if the product exceeds it or isn't a valid `Duration`.
  fileprivate func scaled(by factor: Double, upTo limit: Duration) -> Duration {
    let (seconds, limitInSeconds) = (self / .seconds(1) * factor, limit / .seconds(1))
    return seconds < limitInSeconds ? self * factor : limit
  }
}
