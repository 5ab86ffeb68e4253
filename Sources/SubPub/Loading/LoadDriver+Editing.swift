/// Editing (5.20).
extension LoadDriver {
  /// What the server has made of an edit.
  enum Confirmation: Sendable {
    /// It has accepted the edit as it is.
    case accepted
    /// It has sent its data.
    case answered(Value)

    var isAnswer: Bool { if case .answered = self { true } else { false } }
  }

  /// Shows an edit, sends it, and takes it back if that fails.
  ///
  /// A cancelled caller doesn't wait for the end of the sending.
  func mutate<Answer: Sendable>(
    showing apply: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Answer,
    confirming confirmation: @escaping @Sendable (Answer) -> Confirmation
  ) async throws -> Answer {
    try Task.checkCancellation()
    // Never thrown for callers that hold the manager, as all do.
    guard let edit = show(apply) else { throw PublisherEnded(source: registry.source) }
    let (results, end) = AsyncStream<Result<Answer, any Error>>.makeStream()
    Task(executorPreference: operation.executor) { [self] in
      do {
        let answer = try await send()
        self.end(edit, confirmation(answer))
        end.yield(.success(answer))
      } catch {
        self.end(edit, nil)
        end.yield(.failure(error))
      }
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  /// Applies an edit to what is shown; returns nil after the manager's or the publisher's end.
  private func show(_ apply: @escaping @Sendable (Value) -> Value) -> PendingEdits<Value>.Edit? {
    while let present {
      let edit = PendingEdits.Edit(serverChanges: present.found.serverChanges, apply)
      let edits = PendingEdits((present.edits?.all ?? []) + [edit], over: present.server)
      if registry.change(change(of: present, to: edits, over: present.server), enqueuing: nil) { return edit }
    }
    return nil
  }

  /// Ends an edit; without a confirmation, its sending has failed.
  ///
  /// The other edits stay folded over the server's data.
  private func end(_ edit: PendingEdits<Value>.Edit, _ confirmation: Confirmation?) {
    while let present = registry.present.map(Present.init) {
      guard let edits = present.edits, edits.contains(edit) else {
        // It was dropped, but the server has it.
        if confirmation != nil {
          registry.noteConfirmationOfDropped(enqueuing: cache?.clearOperation())
          cache?.queue.run(on: operation.executor)
        }
        return
      }
      let server: ManagerData<Value>?
      switch confirmation {
      case nil: server = present.server
      case .accepted: server = present.server.map { accepted($0, edit) }
      case .answered(let value):
        server = ManagerData(value: value, provenance: Provenance(.loaded, freshSince: freshSince()))
      }
      let ending = confirmation.map { EditChange.Ending(isAnswer: $0.isAnswer, serverChanges: edit.serverChanges) }
      let change = change(of: present, to: edits.removing(edit, over: server), over: server, ending)
      let caching = ending.flatMap { ending -> CacheOperation? in
        // The cached value lacks the edit, and there is no data to take its place.
        guard let server else { return cache?.clearOperation() }
        // An accepted edit leaves the data as old as it is.
        let isNew = ending.isAnswer
        let freshSince = isNew ? server.provenance?.freshSince : present.validity.freshSince(server.provenance)
        return writeOperation(server.value, since: freshSince, hasEdit: true)
      }
      if registry.change(change, enqueuing: caching) {
        cache?.queue.run(on: operation.executor)
        return
      }
    }
    // The publisher has ended, and the cache may lack the edit. A write could follow a logout of another manager.
    if confirmation != nil, let cache {
      registry.enqueue(cache.clearOperation())
      cache.queue.run(on: operation.executor)
    }
  }

  /// Returns the data with one edit, which is part of it from now on.
  private func accepted(_ server: ManagerData<Value>, _ edit: PendingEdits<Value>.Edit) -> ManagerData<Value> {
    let edited = fold(PendingEdits([edit], over: server), over: server)
    return ManagerData(value: edited.value, provenance: server.provenance)
  }

  private func change(
    of present: Present, to edits: PendingEdits<Value>?, over server: ManagerData<Value>?,
    _ ending: EditChange.Ending? = nil
  ) -> EditChange {
    let data = server.map { fold(edits, over: $0) }
    let isAnswer = ending?.isAnswer ?? false
    // Called for the current state, and for the state to return to if the active load is cancelled.
    func showing(_ state: LoadState<Value>, whileLoading isLoading: Bool) -> Publication<Value>? {
      data.map { data in
        let shown =
          isAnswer
          ? (isLoading ? .loading(previous: data.value) : .loaded(data.value)) : state.replacingData(with: data.value)
        return publication(shown, data.provenance)
      }
    }
    let current = present.publication.state
    return EditChange(
      found: present.found, edits: edits,
      state: showing(current, whileLoading: present.load != nil && current.phase == .loading),
      before: present.load?.before.flatMap { showing(Publication<Value>.from($0).state, whileLoading: false) },
      ending: ending)
  }

  /// Returns the data with the edits folded over it.
  ///
  /// They are foreign code that must not change this publisher, as the transforms of `update` mustn't.
  func fold(_ edits: PendingEdits<Value>?, over server: ManagerData<Value>) -> ManagerData<Value> {
    guard let edits else { return server }
    registry.beginUpdate()
    defer { registry.abandonUpdate() }
    return edits.folded(over: server)
  }
}
