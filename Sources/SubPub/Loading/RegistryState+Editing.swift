/// A change of the pending edits, made from the state that one turn has found (5.20).
struct EditChange {
  /// How an edit was confirmed.
  struct Ending {
    /// Whether the server has sent its data; otherwise, it has accepted the edit as it is.
    let isAnswer: Bool
    /// The value of `LoadingState.serverChanges` when the edit was made.
    let serverChanges: Int
  }

  let found: PresentState
  /// The pending edits from now on.
  let edits: (any AnyObject & Sendable)?
  /// What is shown from now on; nil if that doesn't change.
  let state: (any BoxedPublication)?
  /// The state to return to if the active load is cancelled; nil if that doesn't change.
  let before: (any BoxedPublication)?
  /// How an edit was confirmed; nil if none was.
  let ending: Ending?
}

/// Pending edits, which change in one step with the publisher's state (5.20).
extension RegistryState {
  /// Changes the pending edits, and publishes what is shown from now on; an active load goes on.
  mutating func change(_ change: EditChange, _ effects: inout Effects) -> LoadAction? {
    loading.isInUse = true
    replaceEdits(change.edits, &effects)
    let isNew = change.ending?.isAnswer ?? false
    var isStale = loading.validity.isInvalidated && !isNew
    if let ending = change.ending {
      // With other edits or loads in between, there is no telling which is newer, or what it includes.
      if change.edits != nil && isNew || ending.serverChanges != loading.serverChanges { isStale = true }
      noteConfirmedEdit(hasData: change.state != nil)
    }
    let action = change.state.map {
      LoadAction(accepted: acceptKeepingLoad($0, keepsData: !isNew, &effects), state: $0)
    }
    if action != nil {
      loading.validity.isInvalidated = isStale
      // A confirmed edit is written to the cache.
      if change.ending != nil { loading.isCacheInvalidated = isStale || (loading.isCacheInvalidated && !isNew) }
    }
    if let new = change.before, let old = loading.active?.before {
      effects.release(old)
      loading.active?.before = new
      if isNew { loading.active?.failureBefore = nil }
    }
    return action
  }

  /// Notes that the server has confirmed an edit that was dropped, which all data at hand may lack.
  mutating func noteConfirmationOfDropped() {
    noteConfirmedEdit(hasData: false)
    loading.validity.isInvalidated = true
  }

  /// Notes that the server has confirmed an edit, which the active load and the cache may lack.
  mutating func noteConfirmedEdit(hasData: Bool) {
    loading.serverChanges += 1
    loading.active?.isOutdated = true
    // Data at hand has the edit, so it is better than what the load brings.
    if hasData { loading.active?.missesEdit = true } else { loading.isCacheInvalidated = true }
  }
}

extension PublisherRegistry {
  /// Changes the pending edits.
  ///
  /// Returns false only if the change has to be made again, because the state has changed.
  nonisolated func change(_ change: EditChange, enqueuing operation: CacheOperation?) -> Bool {
    var effects = Effects()
    let outcome = turn { registry -> StepOutcome<RegistryState.LoadAction?> in
      guard !registry.isEnded else { return .superseded }
      guard registry.isUnchanged(since: change.found) else { return .changed }
      operation?.enqueue(&effects)
      return .made(registry.change(change, &effects))
    }
    switch outcome {
    case .made(let action):
      perform(action, effects)
      return true
    case .superseded: return true
    case .changed: return false
    }
  }

  /// Notes the confirmation of an edit that was dropped.
  nonisolated func noteConfirmationOfDropped(enqueuing operation: CacheOperation?) {
    perform { registry, effects in
      operation?.enqueue(&effects)
      registry.noteConfirmationOfDropped()
    }
  }

  /// Appends an operation to the cache's queue, without a transition.
  nonisolated func enqueue(_ operation: CacheOperation) { perform { _, effects in operation.enqueue(&effects) } }
}
