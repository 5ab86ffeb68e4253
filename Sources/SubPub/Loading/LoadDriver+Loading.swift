/// Joining and beginning loads.
extension LoadDriver {
  func result(
    of request: LoadRequest, joins: Bool, _ plan: (Present, _ refreshed: Value?) -> Plan?
  ) async -> LoadState<Value>? {
    var refreshed: Value?
    while !Task.isCancelled {
      switch joins ? registry.joinLoad(request, waits: true) : registry.managed.map({ .free($0) }) ?? .ended {
      case .joined(let waiter): return await state(from: waiter)
      case .ended: return nil
      case .next(let waiter):
        let first = await state(from: waiter)
        guard case .loaded(let list) = first else { return first }
        refreshed = list
      case .free(let found):
        let present = Present(found)
        guard let plan = plan(present, refreshed) else { return nil }
        if case .began(let waiter) = begin(plan, ifPresentIs: present, request, waits: true) {
          return await state(from: waiter)
        }
      }
    }
    return nil
  }

  private func state(from waiter: WaiterID?) async -> LoadState<Value>? {
    guard let waiter else { return nil }
    return (await registry.result(for: waiter) as? Publication<Value>)?.state
  }

  /// Begins a load if the present data and the active load are still the same.
  func begin(
    _ plan: Plan, ifPresentIs present: Present, _ request: LoadRequest, waits: Bool
  ) -> PublisherRegistry.BeginLoadAction {
    let (task, old) = (LoadTask(), present.publication)
    let value = old.state.value
    let isQuiet = options.refreshes == .quiet && value != nil
    // Two objects, because each can be published only once.
    let loading = isQuiet ? nil : publication(.loading(previous: value), old.provenance)
    let before = isQuiet ? nil : publication(old.state, old.provenance)
    let reading = value == nil ? cache.map { CacheReading(of: $0) } : nil
    let load = ActiveLoad(
      task, plan.kind, replacesData: value != nil, before: before)
    let action = registry.begin(
      load, for: request, publishing: loading, ifCurrentIs: old, andLoadIs: present.load?.task, waits: waits,
      enqueuing: reading?.operation)
    if case .began = action {
      if reading != nil { cache?.queue.run(on: operation.executor) }
      task.start(on: operation.executor) { [self, result = reading?.result] in
        if let result, await !publishCached(result, of: task) { return }
        await run(task, plan)
      }
    }
    return action
  }
}

/// The life of one load.
extension LoadDriver {
  /// Publishes the value in the cache, if there is one; returns whether the load has to go on.
  private func publishCached(
    _ read: @escaping @Sendable () async throws -> Cached<Value>?, of task: LoadTask
  ) async -> Bool {
    switch await operation.run(read) {
    case .success(let cached?):
      let found = publication(loaded: cached.value, .cached, age: cached.age)
      let before = publication(found.state, found.provenance)
      guard registry.acceptCached(found, age: cached.age, before: before, within: task) else { return false }
      if options.refreshes == .quiet { return true }
      return registry.publish(publication(.loading(previous: cached.value), found.provenance), within: task)
    case .failure(let error):
      // The cache has reported its own failures.
      if !(error is CacheFailure) { cache?.report(.read, error) }
      return true
    case .success(nil), nil: return true
    }
  }

  /// Tries until an attempt succeeds or none is left, and publishes only the final result (5.07).
  private func run(_ task: LoadTask, _ plan: Plan) async {
    var failures = 0
    while registry.isActive(task) {
      switch await operation.run({ try await plan.load { self.present?.publication.state.value } }) {
      case nil: return
      case .success(let value): return succeed(task, plan.kind, with: value)
      case .failure(let error):
        failures += 1
        options.attemptFailed(failures, error)
        guard let delay = options.retry.delay(after: failures, error) else { return fail(task, plan.kind, with: error) }
        guard await operation.pause(for: delay) else { return fail(task, plan.kind, with: error) }
      }
    }
  }

  private func succeed(_ task: LoadTask, _ kind: ActiveLoad.Kind, with value: Value) {
    // Nothing else changes the data while the load is active.
    let present = present
    let write = { [cache] (value: Value) in cache?.writeOperation(value) }
    if let isUnchanged = options.isUnchanged, let old = present?.publication.state.value, isUnchanged(old, value) {
      let loaded = publication(loaded: old, .loaded)
      registry.confirm(loaded, since: freshSince(), of: task, enqueuing: write(old))
    } else {
      let result =
        switch kind {
        case .whole: publication(loaded: value, .loaded)
        // As old as the oldest page. Pages of unknown age stay so, unless they were to stay fresh for ever.
        case .page:
          publication(
            .loaded(value),
            Provenance(.loaded, freshSince: present?.freshSince ?? (options.staleAfter == nil ? nil : freshSince())))
        }
      registry.commit(result, of: task, enqueuing: write(value))
    }
    cache?.queue.run(on: operation.executor)
  }

  private func fail(_ task: LoadTask, _ kind: ActiveLoad.Kind, with error: any Error) {
    let old = present?.publication
    let result = publication(.error(error, previous: old?.state.value), old?.provenance)
    let time = options.errorStaleAfter > .zero ? freshness?.start() : nil
    registry.commit(result, of: task, failure: LoadFailure(kind: kind, time: time))
  }

  /// Waits between two refreshes; returns false if the task is cancelled or the manager is gone.
  func pause(for interval: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { [operation] in await operation.pause(for: interval) }
      group.addTask { [registry] in
        await registry.waitForManagersEnd()
        return false
      }
      let goesOn = await group.next() ?? false
      group.cancelAll()
      return goesOn
    }
  }

  func publish(_ new: Publication<Value>, enqueuing operation: CacheOperation?) {
    registry.publish(new, enqueuing: operation)
    cache?.queue.run(on: self.operation.executor)
  }

  func publication(_ state: LoadState<Value>, _ provenance: Provenance?) -> Publication<Value> {
    Publication(state, source: registry.source, provenance: provenance)
  }

  /// Makes a publication of data that arrives now and already has an age.
  func publication(loaded value: Value, _ origin: DataOrigin, age: Duration = .zero) -> Publication<Value> {
    publication(.loaded(value), Provenance(origin, freshSince: freshSince(age: age)))
  }
}
