/// Ends without a result.
extension LoadMachine {
  /// Ends the active load, and notes in the step which callers no longer wait.
  mutating func endLoad(_ ending: LoadStep<Value>.Ending, _ step: inout LoadStep<Value>) {
    guard load != nil else { return }
    switch ending {
    case .finished: step.publisher.answered = callers.waiters
    case .cancelled: step.publisher.released += callers.waiters
    }
    step.ending = ending
    (load, callers) = (nil, LoadCallers())
  }

  /// Removes a cancelled caller; if it was the last, rolls back the load (5.05).
  mutating func leave(_ caller: WaiterID, _ present: Present) -> LoadStep<Value> {
    callers.remove(caller) && callers.isEmpty ? rollBack(present) : LoadStep()
  }

  /// Ends the load, and publishes the state from before it unless it has shown no `loading` (5.05).
  mutating func rollBack(_ present: Present) -> LoadStep<Value> {
    var step = LoadStep<Value>()
    if let load, let before = load.before {
      step.publisher.published = present.publication.next(before.with(present.state.value))
      failure = load.failureBefore
    }
    endLoad(.cancelled, &step)
    return step
  }

  /// Ends the load, because the manager is gone (5.09).
  mutating func endManager(_ present: Present) -> LoadStep<Value> {
    var step = rollBack(present)
    endPauses(ofAll: true, &step)
    isOver = true
    return step
  }

  /// Ends the active load, the edits and the polls, because the publisher takes no further states (3.09).
  mutating func endPublisher() -> LoadStep<Value> {
    var step = supersede()
    endPauses(ofAll: true, &step)
    isOver = true
    return step
  }

  /// Ends the load and drops the edits, because of another transition; those that wait to be sent never are (5.24).
  mutating func supersede() -> LoadStep<Value> {
    var step = LoadStep<Value>()
    endLoad(.cancelled, &step)
    step.publisher.released += edits.compactMap(\.waiter)
    (edits, dataBelow, failure) = ([], nil, nil)
    revision += 1
    return step
  }

  /// Publishes a value, and has it written to the cache (5.16); neither of them after the publisher's end.
  mutating func set(_ data: ServerData, _ present: Present) -> LoadStep<Value> {
    isOver ? LoadStep() : replace(with: data, present)
  }

  /// Forgets all data, and ends the polls that end at a logout.
  ///
  /// Clears the cache after the publisher's end, too (5.10).
  mutating func logout(_ present: Present) -> LoadStep<Value> {
    var step = replace(with: nil, present)
    logouts += 1
    endPauses(ofAll: false, &step)
    return step
  }

  /// Publishes other data, or none, and changes the cache accordingly.
  private mutating func replace(with data: ServerData?, _ present: Present) -> LoadStep<Value> {
    var step = supersede()
    step.publisher.published = present.publication.next(data.map { .loaded($0.value) } ?? .unknown, data?.provenance)
    step.publisher.validity = DataValidity()
    isCacheInvalidated = false
    step.cacheChange = data.map { .write($0, freshSince: $0.provenance?.freshSince, hasEdit: false) } ?? .clear
    return step
  }

  /// Makes the present data stale, and also the result of a load that has already begun (5.15).
  mutating func invalidate(_ present: Present) -> LoadStep<Value> {
    isCacheInvalidated = true
    serverChanges += 1
    load?.isOutdated = true
    noteStaleData()
    var step = LoadStep<Value>()
    step.invalidate(present)
    return step
  }
}

extension LoadMachine {
  /// Notes that the data at hand has become stale because of a change at the server, not by its age.
  ///
  /// However young a failure is that came before, `refreshIfNeeded` loads again.
  mutating func noteStaleData() {
    failure?.isOutdated = true
    load?.failureBefore?.isOutdated = true
  }
}

/// The life of one load.
extension LoadMachine {
  /// Publishes a cached value; ends the load if the value is fresh enough for all callers (5.11).
  ///
  /// Does nothing if there is newer data, of an edit that the server has answered in the meantime.
  mutating func find(
    _ cached: Cached<Value>, freshSince: Duration?, of id: LoadID, _ prepared: Prepared<Value>?, _ present: Present
  ) -> (LoadStep<Value>, Preparation<Value>?) {
    guard let found = load, found.id == id else { return (LoadStep(), nil) }
    guard serverData(present) == nil else { return (LoadStep(), nil) }
    let prepared = current(prepared)
    let data = ServerData(cached.value, Provenance(.cached, freshSince: freshSince))
    if let preparation = preparation(of: data, prepared) { return (LoadStep(), preparation) }
    let isInvalid = isCacheInvalidated || found.isOutdated || cached.age >= .unlimited
    let isStale = rules.isStale(cached.age, since: freshSince)
    if !isInvalid, callers.accept(cached.age, isStale: isStale) { return (commit(data, prepared, present), nil) }
    var step = show(data, prepared, present)
    load?.before = nil
    load?.failureBefore = nil
    load?.hasData = true
    step.publisher.validity?.isInvalidated = isInvalid
    return (step, nil)
  }

  /// Shows that the load goes on after a cached value; does nothing if the load is quiet.
  mutating func showLoading(of id: LoadID, _ present: Present) -> LoadStep<Value> {
    var step = LoadStep<Value>()
    guard let found = load, found.id == id, found.before == nil, !rules.isQuiet else { return step }
    load?.before = present.state.withoutData
    step.publisher.published = present.publication.next(.loading(previous: present.state.value))
    return step
  }

  /// Ends the load with its value, which is new since `time`.
  ///
  /// The present data stays if the value may lack an edit that the server has confirmed since (5.20), or is equal
  /// (5.18).
  mutating func succeed(
    with value: Value, at time: Duration?, of id: LoadID, compares: Bool, _ prepared: Prepared<Value>?,
    _ present: Present
  ) -> (LoadStep<Value>, Preparation<Value>?) {
    guard let ended = load, ended.id == id else { return (LoadStep(), nil) }
    let (old, prepared) = (serverData(present), current(prepared))
    if let old, ended.missesEdit { return (keep(old, since: present.freshSince, present), nil) }
    // A list is as old as its oldest page.
    let freshSince = ended.kind == .whole || old == nil ? time : present.freshSince
    let data = ServerData(value, Provenance(.loaded, freshSince: freshSince))
    if let preparation = preparation(of: data, comparingWith: compares ? old : nil, prepared) {
      return (LoadStep(), preparation)
    }
    if let old, prepared?.isUnchanged == true {
      let fresh = ServerData(old.value, Provenance(.loaded, freshSince: freshSince))
      var step = keep(fresh, since: freshSince, present)
      step.cacheChange = .write(fresh, freshSince: freshSince, hasEdit: false)
      return (step, nil)
    }
    var step = commit(data, prepared, present)
    step.cacheChange = .write(data, freshSince: freshSince, hasEdit: false)
    return (step, nil)
  }

  mutating func fail(_ error: any Error, at time: Duration?, of id: LoadID, _ present: Present) -> LoadStep<Value> {
    var step = LoadStep<Value>()
    guard let ended = load, ended.id == id else { return step }
    endLoad(.finished, &step)
    failure = LoadFailure(kind: ended.kind, time: time, isOutdated: ended.isOutdated)
    step.publisher.published = present.publication.next(.error(error, previous: present.state.value))
    if ended.isOutdated {
      step.invalidate(present)
    }
    return step
  }

  /// Ends the load with new data.
  private mutating func commit(
    _ data: ServerData, _ prepared: Prepared<Value>?, _ present: Present
  ) -> LoadStep<Value> {
    let isInvalid = leavesInvalidData(present)
    var step = show(data, prepared, present)
    endLoad(.finished, &step)
    serverChanges += 1
    isCacheInvalidated = isInvalid
    step.publisher.validity?.isInvalidated = isInvalid
    return step
  }

  /// Ends the load with the present data, which is new since `time`.
  private mutating func keep(
    _ data: ServerData, since time: Duration?, _ present: Present
  ) -> LoadStep<Value> {
    var step = LoadStep<Value>()
    let staysInvalid = leavesInvalidData(present)
    endLoad(.finished, &step)
    if !edits.isEmpty { dataBelow = data }
    revision += 1
    if present.state.phase != .loaded, let shown = present.state.value {
      failure = nil
      step.publisher.published = present.publication.next(.loaded(shown), provenance(over: data))
    }
    step.publisher.validity = DataValidity(
      isInvalidated: staysInvalid, confirmation: DataValidity.Confirmation(time: time))
    serverChanges += 1
    isCacheInvalidated = staysInvalid
    return step
  }

  /// Whether the data is stale even after the load, because it was invalidated: one more page doesn't make the others
  /// valid.
  private func leavesInvalidData(_ present: Present) -> Bool {
    load.map { $0.isOutdated || ($0.kind == .page && present.validity.isInvalidated) } ?? false
  }

  /// Shows new data of the server, with the pending edits.
  private mutating func show(
    _ data: ServerData, _ prepared: Prepared<Value>?, _ present: Present
  ) -> LoadStep<Value> {
    var step = LoadStep<Value>()
    if !edits.isEmpty { dataBelow = data }
    revision += 1
    failure = nil
    step.publisher.published = present.publication.next(.loaded(prepared?.shown ?? data.value), provenance(over: data))
    step.publisher.validity = DataValidity()
    return step
  }

  /// What was prepared; nil if something has changed since.
  func current(_ prepared: Prepared<Value>?) -> Prepared<Value>? {
    prepared?.revision == revision ? prepared : nil
  }

  /// What is still to be prepared for new data; nil if nothing is.
  private func preparation(
    of data: ServerData, comparingWith former: ServerData? = nil, _ prepared: Prepared<Value>?
  ) -> Preparation<Value>? {
    if prepared != nil || (edits.isEmpty && former == nil) { return nil }
    return Preparation(revision: revision, data: data, edits: edits, former: former)
  }
}
