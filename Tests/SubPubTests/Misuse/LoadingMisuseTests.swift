import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  /// Arguments that `RetryPolicy.exponential` rejects, with its messages.
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

  @Suite("Impossible retries and time limits stop the program")
  struct LoadingMisuseTests {
    @Test("exponential waits with impossible arguments stop the program", arguments: WrongBackoff.allCases)
    func required_5_07_backoff(wrong: WrongBackoff) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [wrong] in
        wrong.make()
      }
      #expect(message(result).contains(wrong.message))
    }

    @Test("a custom policy without an attempt stops the program")
    func required_5_07_noAttempt() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = RetryPolicy(maxAttempts: 0) { _, _ in nil }
      }
      #expect(message(result).contains("maxAttempts is 0"))
    }

    @Test("a custom policy with a negative delay stops the program")
    func required_5_07_negativeDelay() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = LoadingManager<Int>(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(-3) }) {
          throw PublishingTests.Failure.offline
        }
        await manager.refresh()
      }
      #expect(message(result).contains("delay is -3"))
    }

    @Test("a time limit that isn't positive stops the program", arguments: [0, -1])
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
  @Suite("Negative times stop the program")
  struct StalenessMisuseTests {
    @Test("a negative staleAfter stops the program")
    func required_5_06_negativeStaleAfter() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Publisher<Int>(staleAfter: .seconds(-5))
      }
      #expect(message(result).contains("staleAfter is -5"))
    }

    @Test("a negative age stops the program, even if the data never becomes stale", arguments: [true, false])
    func required_5_06_negativeAge(canBecomeStale: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [canBecomeStale] in
        Publisher<Int>(staleAfter: canBecomeStale ? .seconds(60) : nil).updateData(1, age: .milliseconds(-1))
      }
      #expect(message(result).contains("age is -0.001"))
    }

    @Test("zero is allowed for both")
    func required_5_06_zero() {
      let publisher = Publisher<Int>(staleAfter: .zero)
      publisher.updateData(1, age: .zero)
      #expect(publisher.isStale)
    }
  }

  /// Times that managers and families reject, with their messages.
  enum WrongTime: String, CaseIterable, Codable, Sendable {
    case errorStaleAfter, errorStaleAfterOfPages, maxAge, interval, lingering, keepingAlive

    var message: String {
      switch self {
      case .errorStaleAfter, .errorStaleAfterOfPages: "errorStaleAfter is -1"
      case .maxAge: "maxAge is -1"
      case .interval: "the interval is 0"
      case .lingering: "lingering is -1"
      case .keepingAlive: "keepingAlive is -1.0 seconds, but a stream can't end before its last listener is gone"
      }
    }

    func use() async throws {
      let (manager, wrong) = (LoadingManager<Int> { 1 }, Duration.seconds(-1))
      switch self {
      case .errorStaleAfter: _ = LoadingManager<Int>(errorStaleAfter: wrong) { 1 }
      case .errorStaleAfterOfPages:
        _ = PagedManager<Int, Int>(errorStaleAfter: wrong, firstPage: 0) { _ in (elements: [], next: nil) }
      case .maxAge: _ = try await manager.value(maxAge: wrong)
      case .interval: await manager.refresh(every: .zero)
      case .lingering: _ = ManagerFamily<Int, LoadingManager<Int>>(lingering: wrong) { _ in manager }
      case .keepingAlive: _ = StreamManager(keepingAlive: wrong) { AsyncStream<Int> { _ in } }
      }
    }
  }

  @Suite("Impossible times and families that ask themselves stop the program")
  struct AskingMisuseTests {
    @Test("times that can't be meant stop the program", arguments: WrongTime.allCases)
    func required_5_11_5_13_5_17_5_19_5_21_times(wrong: WrongTime) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [wrong] in
        try await wrong.use()
      }
      #expect(message(result).contains(wrong.message))
    }

    @Test("a retry policy with a negative delay stops the program when a stream fails")
    func required_5_21_negativeDelay() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = StreamManager(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(-3) }) {
          () async throws -> AsyncStream<Int> in throw PublishingTests.Failure.offline
        }
        await manager.refresh()
        await manager.refresh()
      }
      #expect(message(result).contains("delay is -3"))
    }

    @Test("a transform that begins a stream of the same publisher stops the program")
    func required_5_21_transform() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = StreamManager { AsyncStream<Int> { _ in } }
        let listener = Recorder<Int>()
        manager.publisher.update { state in
          manager.publisher.subscribe(listener, on: .immediate)
          return state
        }
      }
      #expect(message(result).contains("changes the same publisher"))
    }

    @Test("a family whose make asks for its own manager stops the program", arguments: [true, false])
    func required_5_19_cycle(throughAnother: Bool) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [throughAnother] in
        typealias Family = ManagerFamily<Int, LoadingManager<Int>>
        let (first, second) = (Locked<Family?>(nil), Locked<Family?>(nil))
        first.withLock {
          $0 = Family { _ in (throughAnother ? second : first).withLock { $0 }?[1] ?? LoadingManager { 1 } }
        }
        second.withLock { $0 = Family { _ in first.withLock { $0 }?[1] ?? LoadingManager { 1 } } }
        _ = first.withLock { $0 }?[1]
      }
      #expect(message(result).contains("make(1) asks for its own manager"))
    }
  }

  @Suite("An impossible memory cache stops the program")
  struct MemoryCacheMisuseTests {
    @Test("a limit below 1 stops the program", arguments: [0, -1, Int.min])
    func limit(limit: Int) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [limit] in
        _ = MemoryCache(limit: limit)
      }
      #expect(message(result).contains("the limit \(limit), and would keep nothing: give 1 or more"))
    }

    @Test("a value with a negative size stops the program")
    func size() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        MemoryCache(limit: 5).cache(for: "news", of: Int.self, size: { $0 }).write(-3)
      }
      #expect(message(result).contains("The size of a value for the key \"news\" of a MemoryCache is -3"))
    }

    @Test("using one key for two types stops the program while a cache for the key exists")
    func type() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let memory = MemoryCache(limit: 5)
        let numbers = memory.cache(for: "news", of: Int.self)
        _ = memory.cache(for: "news", of: [String].self)
        numbers.clear()
      }
      #expect(
        message(result).contains(
          "The key \"news\" of a MemoryCache was asked for with the value type Array<String>, but its type is Int"))
    }

    @Test("using one key for two types stops the program while a value for the key exists")
    func typeOfValue() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let memory = MemoryCache(limit: 5)
        memory.cache(for: "news").write("one")
        _ = memory.cache(for: "news", of: Int.self)
      }
      #expect(message(result).contains("with the value type Int, but its type is String"))
    }
  }
}
