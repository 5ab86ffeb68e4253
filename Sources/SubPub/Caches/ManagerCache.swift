/// A manager's side of its cache, whose queue runs the operations one at a time.
final class ManagerCache<Value: Sendable>: Sendable {
  let queue: CacheOperationQueue
  private let cache: any StateCache<Value>
  private let failed: @Sendable (CacheFailure) -> Void

  init(_ cache: any StateCache<Value>, failed: @escaping @Sendable (CacheFailure) -> Void) {
    self.cache = cache
    self.failed = failed
    queue = .of(cache)
  }

  /// Reports a failure of the cache to the manager's user.
  @discardableResult
  func report(_ operation: CacheFailure.Operation, _ reason: any Error) -> CacheFailure {
    let failure = CacheFailure(operation: operation, reason: reason)
    failed(failure)
    return failure
  }
}

/// The operations that the queue runs.
extension ManagerCache {
  /// Reads the value that was written last.
  ///
  /// If the last clear has failed, it is repeated first. A value that was read before another clear was requested is
  /// dropped.
  func read() async throws -> Cached<Value>? {
    let clears = queue.clears
    if queue.isTainted {
      do { try await cache.clear() } catch { throw report(.clear, error) }
      queue.isTainted = false
      return nil
    }
    do {
      let cached = try await cache.read()
      return queue.clears == clears ? cached : nil
    } catch {
      throw report(.read, error)
    }
  }

  /// Makes an operation that writes a value, with the age that it has when the operation runs (5.06).
  ///
  /// If the value before it may lack a confirmed edit, or something pushed, it is cleared when the write fails (5.20).
  func writeOperation(
    _ value: Value, hasNews: Bool, age: @escaping @Sendable () -> Duration
  ) -> CacheOperationQueue.Operation {
    .write(hasNews: hasNews) { hasNews in
      if !(await self.write(value, age: age())), hasNews { await self.clear() }
    }
  }

  /// Returns false after a failure, which is reported.
  private func write(_ value: Value, age: Duration) async -> Bool {
    do {
      try await cache.write(value, age: age)
      // The value has replaced the one that a failed clear left behind.
      queue.isTainted = false
      return true
    } catch {
      report(.write, error)
      return false
    }
  }

  func clearOperation() -> CacheOperationQueue.Operation { .clear { await self.clear() } }

  private func clear() async {
    queue.isTainted = true
    do {
      try await cache.clear()
      queue.isTainted = false
    } catch {
      report(.clear, error)
    }
  }

  /// Appends an operation to the queue; in the turn that decides on it, so that the order is that of the turns.
  func enqueue(_ operation: CacheOperationQueue.Operation, _ effects: inout Effects) {
    let obsolete = queue.append(operation)
    if !obsolete.isEmpty { effects.releaseAll(in: obsolete) }
  }
}

/// What a read of a manager's cache comes to: nil if there is no value.
///
/// There is no answer if the cache is cleared first.
typealias CacheReading<Value: Sendable> = OneShot<Result<Cached<Value>?, any Error>>

/// Reading.
extension ManagerCache {
  /// Ends the wait for an answer when the operation is dropped that was to give it.
  private final class Reader: Sendable {
    let answer = CacheReading<Value>()
    deinit { answer.end() }
  }

  /// Appends the read of a run, which takes the place of an earlier run's.
  func enqueueRead(_ effects: inout Effects) -> CacheReading<Value> {
    let reader = Reader()
    enqueue(read(for: ObjectIdentifier(self), reader), &effects)
    return reader.answer
  }

  /// Returns what `wait` has made of a read that stands alone; the read is dropped if it hasn't begun by then.
  func read<Answer>(_ wait: (CacheReading<Value>) async -> Answer) async -> Answer {
    let reading = enqueueRead()
    defer { queue.removeRead(for: ObjectIdentifier(reading)) }
    return await wait(reading)
  }

  /// Appends a read that stands alone; outside every turn.
  private func enqueueRead() -> CacheReading<Value> {
    let reader = Reader()
    withExtendedLifetime(queue.append(read(for: ObjectIdentifier(reader.answer), reader))) {}
    return reader.answer
  }

  private func read(for owner: ObjectIdentifier, _ reader: Reader) -> CacheOperationQueue.Operation {
    .read(for: owner) {
      do { reader.answer.give(.success(try await self.read())) } catch { reader.answer.give(.failure(error)) }
    }
  }
}

extension Duration {
  /// The age with which a cache gets data that mustn't count as fresh, whatever `staleAfter` is (5.06).
  ///
  /// Read data of half that age counts as invalidated, because caches may round, and clocks are set.
  static let outdated = unlimited * 2
}
