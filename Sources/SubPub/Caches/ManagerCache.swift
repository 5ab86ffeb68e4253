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
      queue.removeTaint()
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
  /// If the value before it may lack a confirmed edit, it is cleared when the write fails (5.20).
  func writeOperation(
    _ value: Value, hasEdit: Bool, age: @escaping @Sendable () -> Duration
  ) -> CacheOperationQueue.Operation {
    .write(hasEdit: hasEdit) { hasEdit in
      if !(await self.write(value, age: age())), hasEdit { await self.clear() }
    }
  }

  /// Returns false after a failure, which is reported.
  private func write(_ value: Value, age: Duration) async -> Bool {
    do {
      try await cache.write(value, age: age)
      // The value has replaced the one that a failed clear left behind.
      queue.removeTaint()
      return true
    } catch {
      report(.write, error)
      return false
    }
  }

  func clearOperation() -> CacheOperationQueue.Operation { .clear { await self.clear() } }

  private func clear() async {
    queue.taint()
    do {
      try await cache.clear()
      queue.removeTaint()
    } catch {
      report(.clear, error)
    }
  }

  /// Appends an operation to the queue; in the turn that decides on it, so that the order is that of the turns.
  func enqueue(_ operation: CacheOperationQueue.Operation, _ effects: inout Effects) {
    let obsolete = queue.append(operation)
    if !obsolete.isEmpty { effects.releaseAll(in: obsolete) }
  }

  /// Appends an operation to the queue; outside every turn.
  func enqueue(_ operation: CacheOperationQueue.Operation) { withExtendedLifetime(queue.append(operation)) {} }
}

/// A read of a manager's cache; that of a load is appended to the queue in the turn that begins the load.
struct CacheReading<Value: Sendable>: Sendable {
  private typealias Outcome = Result<Cached<Value>?, any Error>

  /// The sender of the result, held only by the operation.
  ///
  /// If a clear makes the operation obsolete, there is nothing to find, and the stream ends.
  private final class Answer: Sendable {
    private let outcome: AsyncStream<Outcome>.Continuation
    init(_ outcome: AsyncStream<Outcome>.Continuation) { self.outcome = outcome }
    deinit { outcome.finish() }
    func give(_ found: Outcome) { outcome.yield(found) }
  }

  /// Waits for the result; to be called once.
  ///
  /// Nil if there is no value, if the waiting task is cancelled, or if the cache is cleared first.
  typealias Wait = @Sendable () async throws -> Cached<Value>?

  let wait: Wait

  /// Appends the read of a load, which takes the place of an earlier load's.
  init(of cache: ManagerCache<Value>, _ effects: inout Effects) {
    let (wait, answer) = Self.makeAnswer()
    cache.enqueue(Self.read(cache, for: ObjectIdentifier(cache), answer), &effects)
    self.wait = wait
  }

  /// Appends a read that stands alone; outside every turn.
  init(of cache: ManagerCache<Value>) {
    let (wait, answer) = Self.makeAnswer()
    cache.enqueue(Self.read(cache, for: ObjectIdentifier(answer), answer))
    self.wait = wait
  }

  private static func makeAnswer() -> (Wait, Answer) {
    let (outcomes, outcome) = AsyncStream<Outcome>.makeStream()
    let wait: Wait = {
      for await outcome in outcomes { return try outcome.get() }
      return nil
    }
    return (wait, Answer(outcome))
  }

  private static func read(
    _ cache: ManagerCache<Value>, for owner: ObjectIdentifier, _ answer: Answer
  ) -> CacheOperationQueue.Operation {
    .read(for: owner) {
      do { answer.give(.success(try await cache.read())) } catch { answer.give(.failure(error)) }
    }
  }
}

extension Duration {
  /// The age with which a cache gets data that mustn't count as fresh, whatever `staleAfter` is (5.06).
  ///
  /// Read data of half that age counts as invalidated, because caches may round, and clocks are set.
  static let outdated = unlimited * 2
}
