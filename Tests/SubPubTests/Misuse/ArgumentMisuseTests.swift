import SubPub
import SubPubTesting
import Testing

extension MisuseTests {
  @Suite("What can't be meant stops the program: impossible arguments, and things that ask for themselves")
  struct ArgumentMisuseTests {
    typealias Misuses = [String: @Sendable () async throws -> Void]

    @Test("the message says what was wrong", arguments: ArgumentMisuseTests.misuses.keys.sorted())
    func required_1_01_2_01_2_06_5_06_5_07_5_11_5_13_5_17_5_19_5_20_5_21_5_23_6_01_stops(message: String) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [message] in
        try await ArgumentMisuseTests.misuses[message]?()
      }
      #expect(MisuseTests.message(result).contains(message))
    }

    /// What each of them prints, and what it does.
    static let misuses = retries.merging(times) { $1 }.merging(requests) { $1 }.merging(directories) { $1 }
      .merging(memoryCaches) { $1 }.merging(testingKit) { $1 }

    private static func backoff(
      _ maxAttempts: Int = 2, initial: Duration = .seconds(1), factor: Double = 2, maximum: Duration = .seconds(2),
      jitter: Double = 0
    ) {
      _ = RetryPolicy.exponential(
        maxAttempts: maxAttempts, initial: initial, factor: factor, maximum: maximum, jitter: jitter)
    }

    private static let retries: Misuses = [
      "maxAttempts is 0": { backoff(0) },
      "maxAttempts is -1": { backoff(-1) },
      "initial is -1": { backoff(initial: .seconds(-1)) },
      "maximum is 1.0 seconds, and initial is 2.0 seconds": { backoff(initial: .seconds(2), maximum: .seconds(1)) },
      "factor is 0.5": { backoff(factor: 0.5) },
      "factor is inf": { backoff(factor: .infinity) },
      "factor is nan": { backoff(factor: .nan) },
      "jitter is -0.1": { backoff(jitter: -0.1) },
      "jitter is 1.1": { backoff(jitter: 1.1) },
      "jitter is nan": { backoff(jitter: .nan) },
      "maxAttempts is -2": { _ = RetryPolicy(maxAttempts: -2) { _, _ in nil } },
      "delay is -3": {
        let manager = LoadingManager<Int>(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(-3) }) {
          throw Failure.offline
        }
        await manager.refresh()
      },
      "delay is -4": {
        let manager = StreamManager(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(-4) }) {
          () async throws -> AsyncStream<Int> in throw Failure.offline
        }
        await manager.refresh()
        await manager.refresh()
      },
    ]

    private static let times: Misuses = [
      "maxPages is 0, so the list would keep no page: give 1 or more": {
        _ = PagedManager<Int, Int>(firstPage: 0, maxPages: 0) { _ in ([], nil) }
      },
      "timeout is 0": { _ = LoadingManager<Int>(timeout: .zero) { 1 } },
      "timeout is -1": { _ = LoadingManager<Int>(timeout: .seconds(-1)) { 1 } },
      "timeout is -2": {
        _ = PagedManager<Int, Int>(timeout: .seconds(-2), firstPage: 0) { _ in (elements: [], next: nil) }
      },
      "staleAfter is -5": { _ = Publisher<Int>(staleAfter: .seconds(-5)) },
      "age is -0.001": { Publisher<Int>(staleAfter: .seconds(60)).updateData(1, age: .milliseconds(-1)) },
      // Even if the data never becomes stale.
      "age is -0.002": { Publisher<Int>().updateData(1, age: .milliseconds(-2)) },
      "errorStaleAfter is -1": { _ = LoadingManager<Int>(errorStaleAfter: .seconds(-1)) { 1 } },
      "errorStaleAfter is -2": {
        _ = PagedManager<Int, Int>(errorStaleAfter: .seconds(-2), firstPage: 0) { _ in (elements: [], next: nil) }
      },
      "maxAge is -1": { _ = try await LoadingManager<Int> { 1 }.value(maxAge: .seconds(-1)) },
      "the interval is 0": { await LoadingManager<Int> { 1 }.refresh(every: .zero) },
      "the interval is -3": {
        // The poll itself doesn't keep it alive.
        let manager = LoadingManager<Int> { 1 }
        await manager.refresh { _ in .seconds(-3) }
        withExtendedLifetime(manager) {}
      },
      "elementTimeout is 0": { _ = StreamManager(elementTimeout: .zero) { AsyncStream<Int> { _ in } } },
      "lingering is -1": {
        _ = ManagerFamily<Int, LoadingManager<Int>>(lingering: .seconds(-1)) { _ in LoadingManager { 1 } }
      },
      "maxConcurrentLoads is 0": {
        _ = ManagerFamily<Int, LoadingManager<Int>>(maxConcurrentLoads: 0) { _ in LoadingManager { 1 } }
      },
      "staleJitter is 1.1": { _ = LoadingManager(staleJitter: 1.1) { 1 } },
      "staleJitter is nan": {
        _ = PagedManager<Int, Int>(staleJitter: .nan, firstPage: 0) { _ in (elements: [], next: nil) }
      },
      "maximum is 0": { _ = batching(maximum: 0, within: .zero) { (_: Set<Int>) in [0: 1] } },
      "within is -1": { _ = batching(maximum: 1, within: .seconds(-1)) { (_: Set<Int>) in [0: 1] } },
      "keepingAlive is -1.0 seconds, but a stream can't end before its last listener is gone": {
        _ = StreamManager(keepingAlive: .seconds(-1)) { AsyncStream<Int> { _ in } }
      },
    ]

    /// A value that changes its publisher when it is compared.
    private struct Meddler: Equatable, Sendable {
      let loads: Bool
      let publisher: Publisher<Meddler>

      static func == (left: Meddler, right: Meddler) -> Bool {
        if left.loads { left.publisher.startLoading() } else { left.publisher.updateData(ifChanged: right) }
        return false
      }

      static func meddle(loads: Bool, in publisher: Publisher<Meddler>) {
        publisher.updateData(Meddler(loads: loads, publisher: publisher))
        publisher.updateData(ifChanged: Meddler(loads: loads, publisher: publisher))
      }
    }

    private static let requests: Misuses = [
      "HeldRecorder implements no receive(_:) that takes a LoadState": { HeldRecorder().receive(.loaded(1)) },
      "on balance changes the same publisher": { Meddler.meddle(loads: true, in: Publisher(label: "balance")) },
      "on scales changes the same publisher": { Meddler.meddle(loads: false, in: Publisher(label: "scales")) },
      "an edit of mutate(showing:send:) on edited changes the same publisher": {
        let manager = LoadingManager<Int>(label: "edited", initial: 1) { 0 }
        let publisher = manager.publisher
        try await manager.mutate(
          showing: { number in
            publisher.updateData(2)
            return number
          }, send: { 3 })
      },
      "an edit of mutate(showing:send:) on merged changes the same publisher": {
        let manager = LoadingManager<Int>(label: "merged", initial: 1) { 0 }
        let publisher = manager.publisher
        try await manager.mutate(showing: { $0 }, send: { 3 }) { number, _ in
          publisher.updateData(2)
          return number
        }
      },
      // A transform that begins the stream of its own publisher.
      "on ticks changes the same publisher": {
        let manager = StreamManager(label: "ticks") { AsyncStream<Int> { _ in } }
        let listener = Recorder<Int>()
        manager.publisher.update { state in
          manager.publisher.subscribe(listener, on: .immediate)
          return state
        }
      },
      "make(1) asks for its own manager": { askInMake(key: 1, throughAnother: false) },
      "make(2) asks for its own manager": { askInMake(key: 2, throughAnother: true) },
      "Two tasks await one iterator of news": {
        let (publisher, executor) = (Publisher<Int>(label: "news"), ManualExecutor())
        // Without this the compiler rejects the program.
        nonisolated(unsafe) let iterator = publisher.states().makeAsyncIterator()
        for _ in 1...2 {
          Task(executorPreference: executor) {
            var copy = unsafe iterator
            // Only the first state is available, so the second call suspends.
            while await copy.next() != nil {}
          }
        }
        executor.runAll()
        withExtendedLifetime(publisher) {}
      },
    ]

    private static func askInMake(key: Int, throughAnother: Bool) {
      typealias Family = ManagerFamily<Int, LoadingManager<Int>>
      let (first, second) = (Locked<Family?>(nil), Locked<Family?>(nil))
      first.withLock {
        $0 = Family { _ in (throughAnother ? second : first).withLock { $0 }?[key] ?? LoadingManager { 1 } }
      }
      second.withLock { $0 = Family { _ in first.withLock { $0 }?[key] ?? LoadingManager { 1 } } }
      _ = first.withLock { $0 }?[key]
    }

    /// A second publisher of a type.
    private static let directories: Misuses = [
      "second one can't be registered as the publisher of Array<Int>: first one is, and is alive": {
        let directory = PublisherDirectory()
        let (first, second) = (Publisher<[Int]>(label: "first one"), Publisher<[Int]>(label: "second one"))
        directory.register(first)
        directory.register(second)
        withExtendedLifetime((first, second)) {}
      },
      "mine can't be registered as the publisher of Int: Int is, and is alive": {
        let directory = PublisherDirectory()
        _ = directory.publisher(of: Int.self)
        directory.register(Publisher<Int>(label: "mine"))
      },
      // Even after a logout of the first manager.
      "b can't be registered as the publisher of Int: a is, and is alive": {
        let (directory, journal) = (PublisherDirectory(), Journal<String>())
        let first = ClassManager(Publisher<Int>(label: "a"), in: journal)
        directory.register(first)
        directory.logoutAll()
        directory.register(StructManager(publisher: Publisher<Int>(label: "b"), journal: journal))
        withExtendedLifetime(first) {}
      },
    ]

    private static let memoryCaches: Misuses = [
      "the limit 0, and would keep nothing: give 1 or more": { _ = MemoryCache(limit: 0) },
      "the limit -1, and would keep nothing: give 1 or more": { _ = MemoryCache(limit: -1) },
      "the limit \(Int.min), and would keep nothing: give 1 or more": { _ = MemoryCache(limit: .min) },
      "The size of a value for the key \"news\" of a MemoryCache is -3": {
        MemoryCache(limit: 5).cache(for: "news", of: Int.self, size: { $0 }).write(-3)
      },
      // While another cache for the key exists, and while there is a value for it.
      "The key \"news\" of a MemoryCache was asked for with the value type Array<String>, but its type is Int": {
        let memory = MemoryCache(limit: 5)
        let numbers = memory.cache(for: "news", of: Int.self)
        _ = memory.cache(for: "news", of: [String].self)
        numbers.clear()
      },
      "with the value type Int, but its type is String": {
        let memory = MemoryCache(limit: 5)
        memory.cache(for: "news").write("one")
        _ = memory.cache(for: "news", of: Int.self)
      },
    ]

    private static let testingKit: Misuses = [
      "ManualClock.advance(by:) was given -1.0 seconds: time doesn't go backwards": {
        ManualClock().advance(by: .seconds(-1))
      },
      "This code must run in a job of its ManualExecutor, but runs outside": { ManualExecutor().checkIsolated() },
      "ManualExecutor: runOne() or runAll() was called from inside one of its own jobs": {
        let executor = ManualExecutor()
        executor.schedule { executor.runAll() }
        executor.runAll()
      },
      // In a job of a task, and of an actor.
      "was called from inside one of its own jobs": {
        let executor = ManualExecutor()
        let counter = TestingKitTests.ManualExecutorIsolationTests.Counter(executor)
        Task(executorPreference: executor) { await counter.runExecutor() }
        executor.runAll()
      },
    ]
  }
}
