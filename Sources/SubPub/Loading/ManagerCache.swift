/// A manager's side of its cache: what came of the operations, which the cache's queue runs one at a time.
final class ManagerCache<Value: Sendable>: Sendable {
  let queue: CacheOperationQueue
  private let cache: any StateCache<Value>
  private let report: @Sendable (CacheFailure) -> Void

  init(_ cache: any StateCache<Value>, report: @escaping @Sendable (CacheFailure) -> Void) {
    self.cache = cache
    self.report = report
    queue = .of(cache)
  }

  /// What was written last. A clear that failed is made up for first; what was read before another was asked for is as
  /// good as gone.
  func read() async throws -> Cached<Value>? {
    let clears = queue.clears
    if queue.isTainted {
      do { try await cache.clear() } catch { throw failed(.clear, error) }
      queue.removeTaint()
      return nil
    }
    do {
      let cached = try await cache.read()
      return queue.clears == clears ? cached : nil
    } catch {
      throw failed(.read, error)
    }
  }

  func write(_ value: Value) async {
    do {
      try await cache.write(value)
      // It has replaced what was there.
      queue.removeTaint()
    } catch {
      _ = failed(.write, error)
    }
  }

  func clear() async {
    queue.taint()
    do {
      try await cache.clear()
      queue.removeTaint()
    } catch {
      _ = failed(.clear, error)
    }
  }

  /// Also when a read took too long.
  func failed(_ operation: CacheFailure.Operation, _ reason: any Error) -> CacheFailure {
    let failure = CacheFailure(operation: operation, reason: reason)
    report(failure)
    return failure
  }
}

extension ManagerCache {
  func operation(reading work: @escaping CacheOperations.Work) -> CacheOperation {
    CacheOperation(queue: queue, operation: .read(for: ObjectIdentifier(self), work))
  }

  func operation(writing value: Value) -> CacheOperation {
    CacheOperation(queue: queue, operation: .write { await self.write(value) })
  }

  func operationThatClears() -> CacheOperation {
    CacheOperation(queue: queue, operation: .clear { await self.clear() })
  }
}

/// An operation of a cache, for the turn that decides when it comes.
struct CacheOperation {
  let queue: CacheOperationQueue
  let operation: CacheOperations.Operation
}
