/// Edits (5.20), and what a server pushes (5.26).
extension ManagerDriver {
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
    let isDecided = await decidePrepared(mayBeCancelled: true) { machine, prepared, present in
      isOver = machine.isOver
      return machine.add(Edit(id: id, apply: apply), prepared, present)
    }
    if !isDecided { throw CancellationError() }
    if isOver { throw PublisherEnded(source: registry.source) }
    let result = OneShot<Result<Answer, any Error>>()
    Task(executorPreference: limit.executor) { [self] in
      do {
        try await waitToSend(id)
        let answer = try await send()
        await endEdit(id, confirmation(answer))
        result.give(.success(answer))
      } catch {
        await endEdit(id, nil)
        result.give(.failure(error))
      }
    }
    guard let result = await result.wait() else { throw CancellationError() }
    return try result.get()
  }

  /// The server's data as it has come now.
  func answered(_ value: Value) -> Confirmation<Value> {
    .answered(ServerData(value, Provenance(.loaded, freshSince: freshSince())))
  }

  /// Puts what the server has pushed into its data; returns false if there is none.
  func merge(_ change: @escaping @Sendable (Value) -> Value) async -> Bool {
    var isMerged = false
    await decidePrepared { machine, prepared, present in
      isMerged = !machine.isOver && machine.serverData(present) != nil
      return machine.merge(change, prepared, present)
    }
    return isMerged
  }

  /// Waits until the edits before this one have been sent, unless they needn't be (5.24).
  ///
  /// Throws if the edit is dropped, or its publisher ends, before that.
  private func waitToSend(_ edit: EditID) async throws {
    guard options.sends == .oneAtATime else { return }
    while true {
      var (waiter, sends, isOver) = (WaiterID?.none, SendTurn.never, false)
      decideInTurn { machine, _, turn, effects in
        let new = turn.waiters.add(missing: 1)
        let (step, sendTurn) = machine.beginSend(of: edit, new)
        (sends, isOver) = (sendTurn, machine.isOver)
        if sendTurn == .later { waiter = new } else { effects.resume(turn.waiters.remove(new)) }
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
  private func endEdit(_ edit: EditID, _ confirmation: Confirmation<Value>?) async {
    await decidePrepared { machine, prepared, present in machine.endEdit(edit, confirmation, prepared, present) }
  }
}
