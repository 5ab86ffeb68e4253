/// Edits: what is shown is the server's data with all pending edits applied to it, in the order of the calls (5.20).
extension ManagerMachine {
  /// Adds an edit, and shows it if there is data.
  mutating func add(_ edit: Edit<Value>, _ prepared: Prepared<Value>?, _ present: Present) -> Decision<Value> {
    if isOver { return .nothing }
    let (data, prepared) = (serverData(present), stack.current(prepared))
    if let data, prepared == nil { return .needs(stack.preparation(of: data, under: stack.edits + [edit])) }
    stack.add(edit, over: data)
    var step = Step()
    if let data, let prepared {
      step.publisher.published = present.publication.next(
        present.state.with(prepared.shown), stack.provenance(over: data))
    }
    return .done(step)
  }

  /// Ends an edit; without a confirmation, its sending has failed.
  ///
  /// The other edits stay.
  mutating func endEdit(
    _ id: EditID, _ confirmation: Confirmation<Value>?, _ prepared: Prepared<Value>?, _ present: Present
  ) -> Decision<Value> {
    guard let edit = stack.edit(id) else {
      var step = confirmation == nil ? Step() : noteConfirmationOfDropped(present)
      step.publisher.released += [stack.endSend(of: id)].compactMap(\.self)
      return .done(step)
    }
    let prepared = stack.current(prepared)
    var (data, accept) = (serverData(present), (@Sendable (Value) -> Value)?.none)
    switch confirmation {
    case nil: break
    case .accepted: accept = edit.apply
    case .merged(let merge): accept = merge
    case .answered(let answer): data = answer
    }
    if let found = data, accept != nil || stack.edits.count > 1 {
      guard let prepared else {
        return .needs(stack.preparation(of: found, accepting: accept, under: stack.without(id)))
      }
      data = prepared.data
    }
    stack.remove(id, over: data)
    var step = take(confirmation, of: edit, with: data, showing: prepared?.shown, present)
    step.publisher.released += [stack.endSend(of: id)].compactMap(\.self)
    return .done(step)
  }

  private mutating func take(
    _ confirmation: Confirmation<Value>?, of edit: Edit<Value>, with data: ServerData<Value>?, showing shown: Value?,
    _ present: Present
  ) -> Step {
    var step = Step()
    let isAnswer = if case .answered = confirmation { true } else { false }
    var isStale = present.validity.isInvalidated && !isAnswer
    if confirmation != nil {
      // With other edits or loads in between, there is no telling which is newer, or what it includes. What was pushed
      // is below the edit, unless an answer takes its place.
      let overlaps = !stack.edits.isEmpty && !stack.sendsOneAtATime
      let isDoubtful = isAnswer ? overlaps || edit.seen != stack.changes : edit.seen.news != stack.changes.news
      if isDoubtful {
        isStale = true
        noteStaleData()
      }
      stack.noteConfirmedEdit(isInData: data != nil)
    }
    guard let data else {
      // The cached value lacks the edit, and there is no data to take its place.
      if confirmation != nil { step.cacheChange = .clear }
      return step
    }
    let shown = shown ?? data.value
    var state = present.state.with(shown)
    if isAnswer {
      state = activeRun != nil && present.state.phase == .loading ? .loading(previous: shown) : .loaded(shown)
      noteAnswer()
    }
    step.publisher.published = present.publication.next(state, stack.provenance(over: data))
    var validity = isAnswer ? DataValidity() : present.validity
    validity.isInvalidated = isStale
    step.publisher.validity = validity
    if confirmation != nil {
      stack.noteCache(isOutdated: isStale)
      // An accepted edit doesn't change the age of the data.
      step.cacheChange = .write(data, freshSince: validity.freshSince(data.provenance), hasNews: true)
    }
    return step
  }

  /// Notes that the server has confirmed an edit that was dropped, which all data at hand may lack.
  private mutating func noteConfirmationOfDropped(_ present: Present) -> Step {
    var step = invalidate(present)
    step.cacheChange = .clear
    return step
  }

  /// Decides whether an edit is sent now (5.24).
  mutating func beginSend(of id: EditID, _ waiter: WaiterID) -> (Step, SendTurn) {
    let (turn, next) = stack.beginSend(of: id, waiter)
    var step = Step()
    step.publisher.released += [next].compactMap(\.self)
    return (step, turn)
  }
}
