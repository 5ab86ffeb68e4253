/// One look into a manager's cache: work for the cache's queue, and a load that waits for what it finds.
struct CacheReading<Value: Sendable>: Sendable {
  let operation: CacheOperation
  private let outcomes: AsyncStream<Outcome>

  private typealias Outcome = Result<Cached<Value>?, any Error>

  /// Given once, or never: a clear makes the reading needless, and then there is nothing to find.
  private final class Answer: Sendable {
    private let outcome: AsyncStream<Outcome>.Continuation
    init(_ outcome: AsyncStream<Outcome>.Continuation) { self.outcome = outcome }
    deinit { outcome.finish() }
    func give(_ found: Outcome) { outcome.yield(found) }
  }

  init(_ cache: ManagerCache<Value>) {
    let (outcomes, outcome) = AsyncStream<Outcome>.makeStream()
    self.outcomes = outcomes
    let answer = Answer(outcome)
    operation = cache.operation(reading: {
      do { answer.give(.success(try await cache.read())) } catch { answer.give(.failure(error)) }
    })
  }

  /// Once. Nil as well when the waiting task is cancelled, and when the cache is cleared first.
  func result() async throws -> Cached<Value>? {
    for await outcome in outcomes { return try outcome.get() }
    return nil
  }
}
