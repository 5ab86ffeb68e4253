import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  /// What `RetryPolicy.exponential` doesn't take, and what it says.
  enum WrongBackoff: String, CaseIterable, Codable, Sendable {
    case noAttempt, negativeAttempts, negativeInitial, maximumBelowInitial, shrinking, infinite, notANumber
    case negativeJitter, jitterAboveOne, jitterNotANumber

    var message: String {
      switch self {
      case .noAttempt: "maxAttempts is 0"
      case .negativeAttempts: "maxAttempts is -1"
      case .negativeInitial: "initial is -1"
      case .maximumBelowInitial: "maximum is 1.0 seconds, and initial is 2.0 seconds"
      case .shrinking: "factor is 0.5"
      case .infinite: "factor is inf"
      case .notANumber: "factor is nan"
      case .negativeJitter: "jitter is -0.1"
      case .jitterAboveOne: "jitter is 1.1"
      case .jitterNotANumber: "jitter is nan"
      }
    }

    func make() {
      let (initial, maximum) = (Duration.seconds(1), Duration.seconds(2))
      _ =
        switch self {
        case .noAttempt: RetryPolicy.exponential(maxAttempts: 0, initial: initial, maximum: maximum)
        case .negativeAttempts: RetryPolicy.exponential(maxAttempts: -1, initial: initial, maximum: maximum)
        case .negativeInitial: RetryPolicy.exponential(maxAttempts: 2, initial: .seconds(-1), maximum: maximum)
        case .maximumBelowInitial: RetryPolicy.exponential(maxAttempts: 2, initial: maximum, maximum: initial)
        case .shrinking: RetryPolicy.exponential(maxAttempts: 2, initial: initial, factor: 0.5, maximum: maximum)
        case .infinite: RetryPolicy.exponential(maxAttempts: 2, initial: initial, factor: .infinity, maximum: maximum)
        case .notANumber: RetryPolicy.exponential(maxAttempts: 2, initial: initial, factor: .nan, maximum: maximum)
        case .negativeJitter: RetryPolicy.exponential(maxAttempts: 2, initial: initial, maximum: maximum, jitter: -0.1)
        case .jitterAboveOne: RetryPolicy.exponential(maxAttempts: 2, initial: initial, maximum: maximum, jitter: 1.1)
        case .jitterNotANumber:
          RetryPolicy.exponential(maxAttempts: 2, initial: initial, maximum: maximum, jitter: .nan)
        }
    }
  }

  @Suite("Loads that can't be carried out stop the program")
  struct LoadingMisuseTests {
    @Test("waits that can't be", arguments: WrongBackoff.allCases)
    func required_5_07_backoff(wrong: WrongBackoff) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [wrong] in
        wrong.make()
      }
      #expect(message(result).contains(wrong.message))
    }

    @Test("a policy of one's own without an attempt")
    func required_5_07_noAttempt() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = RetryPolicy(maxAttempts: 0) { _, _ in nil }
      }
      #expect(message(result).contains("maxAttempts is 0"))
    }

    @Test("a policy of one's own that wants to wait for less than no time")
    func required_5_07_negativeDelay() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = LoadingManager<Int>(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(-3) }) {
          throw PublishingTests.Failure.offline
        }
        await manager.refresh()
      }
      #expect(message(result).contains("delay is -3"))
    }

    @Test("a time-out after no time", arguments: [0, -1])
    func required_5_07_noTime(seconds: Int) async {
      let loading = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [seconds] in
        _ = LoadingManager<Int>(timeout: .seconds(seconds)) { 1 }
      }
      #expect(message(loading).contains("timeout is \(seconds)"))
      let paged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [seconds] in
        _ = PagedManager<Int, Int>(timeout: .seconds(seconds), firstPage: 0) { _ in (elements: [], next: nil) }
      }
      #expect(message(paged).contains("timeout is \(seconds)"))
    }
  }
}
