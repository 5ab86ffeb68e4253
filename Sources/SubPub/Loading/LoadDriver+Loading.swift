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
      let outcome = transition(of: task) { present -> StepOutcome<CachedOutcome> in
        // An edit was answered in the meantime, with data that is newer.
        if present.server != nil { return .made(.obsolete) }
        let data = ManagerData(
          value: cached.value, provenance: Provenance(.cached, freshSince: freshSince(age: cached.age)))
        let step = step(to: data, from: present)
        let shown = Publication<Value>.from(step.state)
        let before = publication(shown.state, shown.provenance)
        return registry.acceptCached(step, age: cached.age, before: before, within: task)
      }
      switch outcome {
      case nil, .isResult: return false
      case .obsolete: return true
      case .published: if options.refreshes == .quiet { return true }
      }
      return transition(of: task) { present in
        let old = present.publication
        let loading = publication(.loading(previous: old.state.value), old.provenance)
        return registry.publish(LoadStep(found: present.found, state: loading, edits: present.edits), within: task)
      } != nil
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
      switch await operation.run({ try await plan.load { self.present?.server?.value } }) {
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
    transition(of: task) { present in
      if let server = present.server {
        // The value may lack an edit that the server has confirmed since.
        if present.load?.missesEdit == true {
          return registry.confirm(
            step(to: server, from: present), since: present.freshSince, of: task, enqueuing: nil)
        }
        if let isUnchanged = options.isUnchanged, isUnchanged(server.value, value) {
          let fresh = ManagerData(value: server.value, provenance: Provenance(.loaded, freshSince: freshSince()))
          return registry.confirm(
            step(to: fresh, from: present), since: fresh.provenance?.freshSince, of: task,
            enqueuing: writeOperation(server.value, since: fresh.provenance?.freshSince))
        }
      }
      let loaded = ManagerData(value: value, provenance: provenance(of: kind, after: present))
      return registry.commit(
        step(to: loaded, from: present), of: task,
        enqueuing: writeOperation(value, since: loaded.provenance?.freshSince))
    }
    cache?.queue.run(on: operation.executor)
  }

  /// Returns the provenance of loaded data; a list is as old as its oldest page.
  private func provenance(of kind: ActiveLoad.Kind, after present: Present) -> Provenance {
    let isNew = kind == .whole || present.server == nil
    return Provenance(.loaded, freshSince: isNew ? freshSince() : present.freshSince)
  }

  private func fail(_ task: LoadTask, _ kind: ActiveLoad.Kind, with error: any Error) {
    let time = options.errorStaleAfter > .zero ? freshness?.start() : nil
    transition(of: task) { present in
      let old = present.publication
      let result = publication(.error(error, previous: old.state.value), old.provenance)
      return registry.commit(
        LoadStep(found: present.found, state: result, edits: present.edits), of: task,
        failure: LoadFailure(kind: kind, time: time))
    }
  }

  /// Makes a transition of a load from the present state, again and again until nothing has changed in the meantime.
  ///
  /// Returns nil if the load was superseded.
  @discardableResult
  private func transition<Result>(
    of task: LoadTask, _ make: (Present) -> StepOutcome<Result>
  ) -> Result? {
    while let found = registry.present {
      switch make(Present(found)) {
      case .made(let result): return result
      case .changed: continue
      case .superseded: return nil
      }
    }
    return nil
  }

  /// Makes the transition to the server's data, which is shown with the pending edits.
  private func step(to server: ManagerData<Value>, from present: Present) -> LoadStep {
    let shown = fold(present.edits, over: server)
    return LoadStep(
      found: present.found, state: publication(.loaded(shown.value), shown.provenance),
      edits: present.edits.map { PendingEdits($0.all, over: server) })
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
