/// What a load waits for that looks into its manager's cache first.
struct CacheReading<Value: Sendable>: Sendable {
  private typealias Outcome = Result<Cached<Value>?, any Error>

  /// Given once, or never: a clear makes the reading needless, and then there is nothing to find.
  private final class Answer: Sendable {
    private let outcome: AsyncStream<Outcome>.Continuation
    init(_ outcome: AsyncStream<Outcome>.Continuation) { self.outcome = outcome }
    deinit { outcome.finish() }
    func give(_ found: Outcome) { outcome.yield(found) }
  }

  private let outcomes: AsyncStream<Outcome>

  /// A reading, and the operation that answers it. Only the operation holds the answer.
  static func make(of cache: ManagerCache<Value>) -> (CacheReading, CacheOperation) {
    let (outcomes, outcome) = AsyncStream<Outcome>.makeStream()
    let answer = Answer(outcome)
    let operation = cache.operation(reading: {
      do { answer.give(.success(try await cache.read())) } catch { answer.give(.failure(error)) }
    })
    return (CacheReading(outcomes: outcomes), operation)
  }

  /// Once. Nil as well when the waiting task is cancelled, and when the cache is cleared first.
  func result() async throws -> Cached<Value>? {
    for await outcome in outcomes { return try outcome.get() }
    return nil
  }
}
