/// A change of the pending edits, made from the state that one turn has found (5.20).
struct EditChange {
  enum Ending {
    /// The server has accepted the edit.
    case accepted
    /// The server has sent its data, read at some time after this number of changes.
    case answered(serverChanges: Int)
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
    var (isNew, isStale) = (false, loading.validity.isInvalidated)
    if let ending = change.ending {
      if case .answered(let changes) = ending {
        isNew = true
        // If two answers overlap, there is no telling which is newer.
        isStale = change.edits != nil || changes != loading.serverChanges
      }
      loading.serverChanges += 1
      // The load may have been answered before the edit arrived.
      loading.active?.missEdit()
    }
    let action = change.state.map {
      LoadAction(accepted: acceptKeepingLoad($0, keepsData: !isNew, &effects), state: $0)
    }
    if isNew {
      loading.validity.isInvalidated = isStale
      if !isStale { loading.isCacheInvalidated = false }
    }
    if let new = change.before, let old = loading.active?.before {
      effects.release(old)
      loading.active?.before = new
      if isNew { loading.active?.failureBefore = nil }
    }
    return action
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
}
