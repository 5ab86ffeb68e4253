#if Redis
  // Exported, so that the other files need not import them, too.
  @_exported import Foundation
  @_exported import SubPub
  @_exported import SubPubRedis
  @_exported import SubPubTesting
  @_exported import Support
  import Testing

  /// What each test has.
  final class RedisFixture: Sendable {
    let server: RedisServer
    let proxy: Proxy
    let publisher = Publisher<Int>(label: "source")
    /// What its outlets have reported while they went on.
    let failures = Locked<[RedisError]>([])

    init() async throws {
      server = try await RedisServer()
      proxy = try Proxy(server)
    }
  }

  /// A suite whose tests have a server and a publisher, with outlets and mirrors for the stream `key`.
  protocol RedisSuite: Sendable {
    var fixture: RedisFixture { get }
  }

  extension RedisSuite {
    var server: RedisServer { fixture.server }
    var proxy: Proxy { fixture.proxy }
    var publisher: Publisher<Int> { fixture.publisher }
    var failures: Locked<[RedisError]> { fixture.failures }

    func outlet(
      _ endpoint: RedisEndpoint? = nil, of other: Publisher<Int>? = nil, key: String = "key", maxLength: Int = 10_000,
      coder: RedisCoder<Int> = .json(), retry: RetryPolicy = .quick, clock: any Clock<Duration> = ContinuousClock()
    ) -> RedisOutlet<Int> {
      RedisOutlet(
        other ?? publisher, key: key, endpoint: endpoint ?? server.endpoint(), maxLength: maxLength, coder: coder,
        retry: retry, clock: clock
      ) { [failures] error in failures.withLock { $0.append(error) } }
    }

    func mirror<Value>(
      _ endpoint: RedisEndpoint? = nil, of: Value.Type = Int.self, key: String = "key", staleAfter: Duration? = nil,
      retry: RetryPolicy = .quick, clock: any Clock<Duration> = ContinuousClock()
    ) -> RedisMirror<Value> {
      RedisMirror(
        key: key, endpoint: endpoint ?? server.endpoint(), label: "mirror", staleAfter: staleAfter, retry: retry,
        clock: clock)
    }

    var failureCount: Int { failures.withLock { $0.count } }
  }

  /// An outlet or a mirror.
  protocol Runnable: Sendable {
    var isOutlet: Bool { get }
    var statistics: RedisStatistics { get }
    var health: RedisHealth { get }
    func run() async throws
  }

  extension RedisOutlet: Runnable {
    var isOutlet: Bool { true }

    /// Waits until a version is the last one that is written.
    func reach(_ version: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await until({ statistics.lastVersion == version }, sourceLocation: sourceLocation)
    }
  }

  extension RedisMirror: Runnable {
    var isOutlet: Bool { false }

    /// Waits for a state.
    func reach(_ isReached: @escaping @Sendable (LoadState<Value>) -> Bool) async throws {
      try await record().wait(until: isReached)
    }

    func reach(_ value: Value) async throws where Value: Equatable { try await reach { $0 == .loaded(value) } }

    /// Returns a recorder of its states from now on.
    func record() -> Recorder<Value> {
      let recorder = Recorder<Value>()
      publisher.subscribe(recorder, on: .background)
      return recorder
    }

    /// What the error that it shows says.
    var reason: RedisError.Reason? { (publisher.state.error as? RedisError)?.reason }
  }

  extension Publisher where Value: Codable & Equatable {
    /// Publishes a value, and waits until an outlet has written it.
    func publish(
      _ value: Value, writtenBy outlet: RedisOutlet<Value>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      updateData(value)
      try await outlet.reach(Int(current.version), sourceLocation: sourceLocation)
    }

    /// Publishes a value, and waits until a mirror shows it.
    func publish(_ value: Value, shownBy mirror: RedisMirror<Value>) async throws {
      updateData(value)
      try await mirror.reach(value)
    }
  }

  /// Starts an outlet, and waits until it has written the current state, if there is one; or starts a mirror.
  func started(_ part: any Runnable) async throws -> Task<Void, any Error> {
    let before = part.statistics.entries
    let run = Task { try await part.run() }
    if part.isOutlet {
      try await until {
        part.statistics.entries > before || part.health.isWriting && part.health.pending == 0
      }
    }
    return run
  }

  /// Runs outlets, each of which has written the current state, and mirrors until the end of the scope.
  func running<Result>(_ parts: any Runnable..., body: () async throws -> Result) async throws -> Result {
    var runs: [Task<Void, any Error>] = []
    defer { for run in runs { run.cancel() } }
    for part in parts { runs.append(try await started(part)) }
    let result = try await body()
    for run in runs.reversed() { try await cancel(run) }
    return result
  }

  /// Cancels a run, which ends without an error.
  func cancel(_ run: Task<Void, any Error>) async throws {
    run.cancel()
    try await run.value
  }

  /// Expects that a run ends with an error, and returns what that says.
  func reason(
    of run: Task<Void, any Error>, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> RedisError.Reason? {
    await #expect(throws: RedisError.self, sourceLocation: sourceLocation) { try await run.value }?.reason
  }

  extension RedisError.Reason {
    /// What a server that refuses says.
    var refusal: String? { if case .refused(let message) = self { message } else { nil } }
  }

  extension RedisCoder where Value == Int {
    /// Encodes numbers as decimal text, after a closure was called with each.
    static func numbers(_ willEncode: @escaping @Sendable (Int) -> Void) -> RedisCoder {
      let encode: @Sendable (Int) -> [UInt8] = { number in
        willEncode(number)
        return Array("\(number)".utf8)
      }
      return RedisCoder(encode: encode, decode: { _ in 0 })
    }
  }

  struct Offline: Error { let code: Int }

  extension RetryPolicy {
    /// Tries again and again, with short pauses.
    static var quick: RetryPolicy { .noting { _ in } }

    /// Tries again and again, and calls a closure with the number of failures before.
    static func noting(_ note: @escaping @Sendable (Int) -> Void) -> RetryPolicy {
      RetryPolicy(maxAttempts: .max) { failures, _ in
        note(failures)
        return .milliseconds(20)
      }
    }
  }

  extension RedisStatistics {
    /// The version of the last entry.
    var lastVersion: Int? { lastEntry.flatMap { Int($0.drop { $0 != "-" }.dropFirst()) } }
    /// The number of the outlet that wrote it.
    var lastOutlet: Int? { lastEntry.flatMap { Int($0.prefix { $0 != "-" }) } }
  }

  extension Recorder {
    /// The values of all states.
    var values: [Value] { states.compactMap(\.value) }
    /// The values of the loaded states.
    var loaded: [Value] { states.compactMap { if case .loaded(let value) = $0 { value } else { nil } } }
  }

  extension Sequence where Element: Equatable {
    /// The elements without those that are equal to the one before.
    var withoutRepeats: [Element] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
  }

  /// Waits until something is so that has no event, such as a count or the contents of the server.
  func until(_ isSo: () throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let limit = TestLimit.Wait()
    while try !isSo() {
      try #require(limit.nanosecondsLeft > 0, "it doesn't become so", sourceLocation: sourceLocation)
      try await Task.sleep(for: .milliseconds(2))
    }
    TestLimit.noteProgress()
  }
#endif
