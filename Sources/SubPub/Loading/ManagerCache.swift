/// A manager's side of its cache: what came of the operations, which the registry's agenda runs one at a time.
final class ManagerCache<Value: Sendable>: Sendable {
  private let cache: any StateCache<Value>
  private let report: @Sendable (CacheFailure) -> Void
  /// A clear has failed: what is there must not be read (rule 5.10).
  private let isTainted = Locked(false)

  init(_ cache: any StateCache<Value>, report: @escaping @Sendable (CacheFailure) -> Void) {
    self.cache = cache
    self.report = report
  }

  /// What was written last. A clear that failed is made up for first.
  func read() async throws -> Cached<Value>? {
    if isTainted.withLock({ $0 }) {
      do { try await cache.clear() } catch { throw failed(.clear, error) }
      isTainted.withLock { $0 = false }
      return nil
    }
    do { return try await cache.read() } catch { throw failed(.read, error) }
  }

  func write(_ value: Value) async {
    do {
      try await cache.write(value)
      // It has replaced what was there.
      isTainted.withLock { $0 = false }
    } catch {
      _ = failed(.write, error)
    }
  }

  func clear() async {
    isTainted.withLock { $0 = true }
    do {
      try await cache.clear()
      isTainted.withLock { $0 = false }
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
