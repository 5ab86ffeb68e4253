/// Edits (5.20).
extension LoadDriver {
  /// Shows an edit, sends it, and rolls it back if sending fails.
  ///
  /// A cancelled caller doesn't wait until `send` has ended.
  func mutate<Answer: Sendable>(
    showing apply: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Answer,
    answering data: @escaping @Sendable (Answer) -> Value?
  ) async throws -> Answer {
    try Task.checkCancellation()
    // The task that sends holds no more of the edit than this.
    let id = EditID()
    // Never thrown for callers that hold the manager, as all do.
    guard decidePrepared({ $0.add(Edit(id: id, apply: apply), $1, $2) }) else {
      throw PublisherEnded(source: registry.source)
    }
    let (results, end) = AsyncStream<Result<Answer, any Error>>.makeStream()
    Task(executorPreference: limit.executor) { [self] in
      do {
        let answer = try await send()
        endEdit(id, confirmation(data(answer)))
        end.yield(.success(answer))
      } catch {
        endEdit(id, nil)
        end.yield(.failure(error))
      }
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  private func confirmation(_ data: Value?) -> Confirmation<Value> {
    data.map { .answered(ServerData($0, Provenance(.loaded, freshSince: freshSince()))) } ?? .accepted
  }

  /// Ends an edit; without a confirmation, its sending has failed.
  private func endEdit(_ edit: EditID, _ confirmation: Confirmation<Value>?) {
    let isTaken = decidePrepared { machine, prepared, present in
      machine.endEdit(edit, confirmation, prepared, present)
    }
    // The publisher has ended, and the cache may lack the edit. It is cleared rather than written, because a write
    // could follow a logout of another manager.
    if !isTaken, confirmation != nil, let cache {
      cache.enqueue(cache.clearOperation())
      cache.queue.run(on: limit.executor)
    }
  }
}
