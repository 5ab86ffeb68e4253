/// One look into a manager's cache: work for the agenda, and a load that waits for what it finds.
struct CacheReading<Value: Sendable>: Sendable {
  let work: CacheAgenda.Work
  private let outcomes: AsyncStream<Result<Cached<Value>?, any Error>>

  init(_ cache: ManagerCache<Value>) {
    let (outcomes, outcome) = AsyncStream<Result<Cached<Value>?, any Error>>.makeStream()
    self.outcomes = outcomes
    work = {
      do { outcome.yield(.success(try await cache.read())) } catch { outcome.yield(.failure(error)) }
      outcome.finish()
    }
  }

  /// Once. Nil as well when the waiting task is cancelled.
  func result() async throws -> Cached<Value>? {
    for await outcome in outcomes { return try outcome.get() }
    return nil
  }
}
