/// Whether a load that failed is tried again, and when.
///
/// Only the last failure is published (rule 5.07). Delays pass on the manager's clock. A load that is cancelled or
/// overtaken isn't tried again.
public struct RetryPolicy: Sendable {
  /// How many times the loader may be called for one load, the first included.
  public let maxAttempts: Int
  private let delay: @Sendable (_ attempt: Int, _ error: any Error) -> Duration?

  /// A policy of your own.
  ///
  /// - Parameters:
  ///   - maxAttempts: How many times the loader may be called for one load, the first included. 1 or more.
  ///   - delay: How long to wait after a failure, zero or more; a hundred years and more: until the load is cancelled;
  ///     nil: give up. It gets the number of calls that have failed, from 1 on, and the error of the last. Called on no
  ///     particular thread, and under no lock.
  public init(maxAttempts: Int, delay: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Duration?) {
    guard maxAttempts >= 1 else {
      stopForMisuse("maxAttempts is \(maxAttempts): a load is tried at least once; give 1 or more")
    }
    self.maxAttempts = maxAttempts
    self.delay = delay
  }

  /// One attempt.
  public static let never = RetryPolicy(maxAttempts: 1) { _, _ in nil }

  /// Waits longer and longer: `initial`, and after each further failure `factor` times as long, up to `maximum`.
  ///
  /// - Parameters:
  ///   - maxAttempts: How many times the loader may be called for one load, the first included. 1 or more.
  ///   - initial: The wait after the first failure. Zero or more.
  ///   - factor: What it grows by. 1 or more.
  ///   - maximum: No wait is longer.
  ///   - jitter: By which part of itself a wait may be shorter, by chance, so that many clients that failed together
  ///     don't come back together. From 0 to 1; 0: none.
  ///   - seed: For tests: the same seed and attempt, the same wait. Nil: the system's randomness.
  public static func exponential(
    maxAttempts: Int, initial: Duration, factor: Double = 2, maximum: Duration, jitter: Double = 0,
    seed: UInt64? = nil
  ) -> RetryPolicy {
    let backoff = Backoff(initial: initial, factor: factor, maximum: maximum, jitter: jitter, seed: seed)
    return RetryPolicy(maxAttempts: maxAttempts) { attempt, _ in backoff.delay(after: attempt) }
  }

  /// How long to wait after so many failures; nil: the last failure stands.
  func delay(after failures: Int, _ error: any Error) -> Duration? {
    guard failures < maxAttempts, let delay = delay(failures, error) else { return nil }
    guard delay >= .zero else {
      stopForMisuse(
        "A RetryPolicy's delay is \(delay): nobody can wait less than no time; give zero or more, or nil to give up")
    }
    return delay
  }
}
