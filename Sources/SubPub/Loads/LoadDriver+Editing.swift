/// Edits (5.20).
extension LoadDriver {
  /// Shows an edit, sends it when it may be sent, and rolls it back if sending fails.
  ///
  /// A cancelled caller doesn't wait until `send` has ended.
  func mutate<Answer: Sendable>(
    showing apply: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Answer,
    confirming confirmation: @escaping @Sendable (Answer) -> Confirmation<Value>
  ) async throws -> Answer {
    try Task.checkCancellation()
    // The task that sends holds no more of the edit than this.
    let id = EditID()
    var isOver = false
    decidePrepared { machine, prepared, present in
      isOver = machine.isOver
      return machine.add(Edit(id: id, apply: apply), prepared, present)
    }
    if isOver { throw PublisherEnded(source: registry.source) }
    let (results, end) = AsyncStream<Result<Answer, any Error>>.makeStream()
    Task(executorPreference: limit.executor) { [self] in
      do {
        try await waitToSend(id)
        let answer = try await send()
        endEdit(id, confirmation(answer))
        end.yield(.success(answer))
      } catch {
        endEdit(id, nil)
        end.yield(.failure(error))
      }
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// The server's data as it has come now.
  func answered(_ value: Value) -> Confirmation<Value> {
    .answered(ServerData(value, Provenance(.loaded, freshSince: freshSince())))
  }

  /// Waits until the edits before this one have been sent, unless they needn't be (5.24).
  ///
  /// Throws if the edit is dropped, or its publisher ends, before that.
  private func waitToSend(_ edit: EditID) async throws {
    guard options.sends == .oneAtATime else { return }
    while true {
      var (waiter, sends, isOver) = (WaiterID?.none, SendTurn.never, false)
      decideOnLoad { machine, _, waiters, effects in
        let new = waiters.add(missing: 1)
        let (step, turn) = machine.beginSend(of: edit, new)
        (sends, isOver) = (turn, machine.isOver)
        if turn == .later { waiter = new } else { waiters.remove(new, &effects) }
        return step
      }
      switch sends {
      case .now: return
      case .never: throw isOver ? PublisherEnded(source: registry.source) : EditDropped()
      case .later: if let waiter { await registry.wait(for: waiter) }
      }
    }
  }

  /// Ends an edit; without a confirmation, its sending has failed.
  private func endEdit(_ edit: EditID, _ confirmation: Confirmation<Value>?) {
    decidePrepared { machine, prepared, present in machine.endEdit(edit, confirmation, prepared, present) }
  }
}
