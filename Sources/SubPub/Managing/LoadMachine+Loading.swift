/// Ends without a result.
extension LoadMachine {
  /// Ends the active load, and notes in the step which callers no longer wait.
  mutating func endLoad(_ end: RunEnd, _ step: inout Step) {
    guard let ended = load.take() else { return }
    step.end = end
    if end.isByItself {
      step.publisher.answered = ended.callers.waiters
    } else {
      step.publisher.released += ended.callers.waiters
    }
  }

  /// Removes a cancelled caller; if it was the last, rolls back the load (5.05).
  mutating func leave(_ caller: WaiterID, _ present: Present) -> Step {
    guard load?.callers.remove(caller) ?? false, load?.callers.isEmpty ?? false else { return Step() }
    return rollBack(present)
  }

  /// Ends the load, and publishes the state from before it if it has shown a `loading` (5.05).
  mutating func rollBack(_ present: Present) -> Step {
    var step = Step()
    if let load, let before = load.before {
      step.publisher.published = present.publication.next(before.phase.with(present.state.value))
      failure = before.failure
    }
    endLoad(.cancelled, &step)
    return step
  }

  mutating func endManager(_ present: Present) -> Step { endAll(rollBack(present)) }

  mutating func endPublisher() -> Step { endAll(supersede()) }

  private mutating func endAll(_ step: Step) -> Step {
    var step = step
    step.publisher.released += polls.end()
    isOver = true
    return step
  }

  mutating func supersede() -> Step {
    var step = Step()
    endLoad(.cancelled, &step)
    step.publisher.released += stack.drop()
    failure = nil
    return step
  }

  /// Publishes a value, and has it written to the cache (5.16); neither of them after the publisher's end.
  mutating func set(_ data: ServerData<Value>, _ present: Present) -> Step {
    isOver ? Step() : replace(with: data, present)
  }

  /// Also ends the polls that end at a logout.
  mutating func logout(_ present: Present) -> Step {
    var step = replace(with: nil, present)
    step.publisher.released += polls.logOut()
    return step
  }
}

/// The life of one load.
extension LoadMachine {
  /// Publishes a cached value; ends the load if the value is fresh enough for all callers (5.11).
  ///
  /// Does nothing if there is newer data, of an edit that the server has answered in the meantime.
  mutating func find(
    _ cached: Cached<Value>, freshSince: Duration?, of id: RunID, _ prepared: Prepared<Value>?, _ present: Present
  ) -> Decision<Value> {
    guard let found = load, found.id == id, serverData(present) == nil else { return .nothing }
    let prepared = stack.current(prepared)
    let data = ServerData(cached.value, Provenance(.cached, freshSince: freshSince))
    if prepared == nil, !stack.edits.isEmpty { return .needs(stack.preparation(of: data)) }
    let isInvalid = stack.isCacheOutdated || found.seen != stack.changes || cached.age >= .unlimited
    let isStale = rules.isStale(cached.age, since: freshSince)
    if !isInvalid, found.callers.accept(cached.age, isStale: isStale) {
      return .done(commit(data, prepared, present))
    }
    var step = show(data, prepared, present)
    failure = nil
    load?.before = nil
    load?.hasData = true
    step.publisher.validity?.isInvalidated = isInvalid
    return .done(step)
  }

  /// Shows that the load goes on after a cached value; does nothing if the load is quiet.
  mutating func showLoading(of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard let found = load, found.id == id, found.before == nil, !rules.isQuiet else { return step }
    load?.before = (present.state.withoutData, nil)
    step.publisher.published = present.publication.next(.loading(previous: present.state.value))
    return step
  }

  /// Ends the load with its value, which is new since `time`.
  ///
  /// The present data stays if the value may lack an edit that the server has confirmed since (5.20), or is equal
  /// (5.18).
  mutating func succeed(
    with value: Value, at time: Duration?, of id: RunID, compares: Bool, _ prepared: Prepared<Value>?,
    _ present: Present
  ) -> Decision<Value> {
    guard let ended = load, ended.id == id else { return .nothing }
    let (old, prepared) = (serverData(present), stack.current(prepared))
    if let old, ended.seen.confirmed != stack.changes.confirmed {
      polls.lastEnd = time
      return .done(keep(old, since: present.freshSince, present))
    }
    // A list is as old as its oldest page.
    let freshSince = ended.kind == .whole || old == nil ? time : present.freshSince
    let data = ServerData(value, Provenance(.loaded, freshSince: freshSince))
    let former = compares ? old : nil
    if prepared == nil, !stack.edits.isEmpty || former != nil {
      return .needs(stack.preparation(of: data, comparingWith: former))
    }
    polls.lastEnd = time
    var (new, step) = (data, Step())
    if let old, prepared?.isUnchanged == true {
      new = ServerData(old.value, data.provenance)
      step = keep(new, since: freshSince, present)
    } else {
      step = commit(data, prepared, present)
    }
    step.cacheChange = .write(new, freshSince: freshSince, hasNews: false)
    return .done(step)
  }

  mutating func fail(_ error: any Error, at time: Duration?, of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard let ended = load, ended.id == id else { return step }
    endLoad(.finished, &step)
    polls.lastEnd = time
    failure = LoadFailure(kind: ended.kind, time: time, isOutdated: isOutdated(ended))
    step.publisher.published = present.publication.next(.error(error, previous: present.state.value))
    if isOutdated(ended) { step.invalidate(present) }
    return step
  }

  /// Ends the load with new data.
  private mutating func commit(_ data: ServerData<Value>, _ prepared: Prepared<Value>?, _ present: Present) -> Step {
    let isInvalid = leavesInvalidData(present)
    var step = show(data, prepared, present)
    step.publisher.validity?.isInvalidated = isInvalid
    end(isInvalid: isInvalid, &step)
    return step
  }

  /// Ends the load with the present data, which is new since `freshSince`.
  private mutating func keep(_ data: ServerData<Value>, since freshSince: Duration?, _ present: Present) -> Step {
    var step = Step()
    let staysInvalid = leavesInvalidData(present)
    stack.take(data)
    if present.state.phase != .loaded, let shown = present.state.value {
      step.publisher.published = present.publication.next(.loaded(shown), stack.provenance(over: data))
    }
    step.publisher.validity = DataValidity(
      isInvalidated: staysInvalid, confirmation: DataValidity.Confirmation(time: freshSince))
    end(isInvalid: staysInvalid, &step)
    return step
  }

  private mutating func end(isInvalid: Bool, _ step: inout Step) {
    failure = nil
    endLoad(.finished, &step)
    stack.noteNews()
    stack.noteCache(isOutdated: isInvalid)
  }

  /// Whether the data is stale even after the load, because it may lack something: one more page doesn't make the
  /// others valid.
  private func leavesInvalidData(_ present: Present) -> Bool {
    load.map { $0.seen != stack.changes || ($0.kind == .page && present.validity.isInvalidated) } ?? false
  }
}
