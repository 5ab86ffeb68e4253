import SubPub
import SubPubTesting
import Testing

@Suite("A retry policy decides how long to wait before each attempt", .hangLimit)
struct RetryPolicyTests {
  /// Returns how long a manager waits after each failure, by its clock.
  static func waits(_ policy: RetryPolicy) -> [Duration] {
    let (executor, clock) = (ManualExecutor(), ManualClock())
    let times = Locked<[Duration]>([])
    let manager = LoadingManager<Int>(on: executor, retry: policy, clock: clock) {
      times.withLock { $0.append(clock.now.sinceStart) }
      throw Failure.offline
    }
    manager.refreshIfNeeded()
    repeat { executor.runAll() } while clock.advanceToNextDeadline()
    let called = times.withLock { $0 }
    #expect(called.count == policy.maxAttempts)
    return zip(called.dropFirst(), called).map { $0 - $1 }
  }

  @Test("waits grow by the factor, up to the maximum")
  func required_5_07_exponential() {
    let doubled = RetryPolicy.exponential(maxAttempts: 8, initial: .milliseconds(500), maximum: .seconds(5))
    #expect(
      Self.waits(doubled)
        == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5), .seconds(5)])
    let tripled = RetryPolicy.exponential(maxAttempts: 5, initial: .seconds(1), factor: 3, maximum: .seconds(27))
    #expect(Self.waits(tripled) == [.seconds(1), .seconds(3), .seconds(9), .seconds(27)])
    let constant = RetryPolicy.exponential(maxAttempts: 4, initial: .seconds(1), factor: 1, maximum: .seconds(9))
    #expect(Self.waits(constant) == [.seconds(1), .seconds(1), .seconds(1)])
    let none = RetryPolicy.exponential(maxAttempts: 4, initial: .zero, maximum: .zero)
    #expect(Self.waits(none) == [.zero, .zero, .zero])
    #expect(Self.waits(.exponential(maxAttempts: 1, initial: .seconds(1), maximum: .seconds(1))) == [])
  }

  @Test("waits end at the maximum, even if the product overflows a duration")
  func required_5_07_overflow() {
    let huge = RetryPolicy.exponential(
      maxAttempts: 4, initial: .seconds(1), factor: .greatestFiniteMagnitude, maximum: .seconds(7))
    #expect(Self.waits(huge) == [.seconds(1), .seconds(7), .seconds(7)])
    let longest = Duration.seconds(1 << 30)
    let many = Self.waits(.exponential(maxAttempts: 300, initial: .seconds(1), factor: 2, maximum: longest))
    #expect(many[29] == .seconds(1 << 29))
    #expect(many[30...].allSatisfy { $0 == longest })
  }

  @Test("jitter shortens each wait by a random part, up to the given one", arguments: [0.25, 0.5, 1])
  func required_5_07_jitter(jitter: Double) {
    let waits = Self.waits(
      .exponential(
        maxAttempts: 501, initial: .seconds(10), factor: 1, maximum: .seconds(10), jitter: jitter, seed: 7))
    let (shortest, longest) = (waits.min() ?? .zero, waits.max() ?? .zero)
    #expect(longest <= .seconds(10))
    #expect(shortest >= .seconds(10) * (1 - jitter))
    // The probability that none of 500 waits falls into the first or last tenth of the range is below 1e-22.
    #expect(longest > .seconds(10) * (1 - 0.1 * jitter))
    #expect(shortest < .seconds(10) * (1 - 0.9 * jitter))
    #expect(Set(waits).count > 490)
  }

  @Test("the same seed repeats the waits; another seed, or none, changes them")
  func required_5_07_seed() {
    func waits(_ seed: UInt64?) -> [Duration] {
      Self.waits(
        .exponential(maxAttempts: 20, initial: .seconds(1), maximum: .seconds(60), jitter: 0.5, seed: seed))
    }
    #expect(waits(1) == waits(1))
    #expect(waits(1) != waits(2))
    #expect(waits(nil) != waits(nil))
    // Neighboring seeds share no wait, at whatever attempt.
    #expect(Set(waits(1)).isDisjoint(with: waits(2)))
  }
}
